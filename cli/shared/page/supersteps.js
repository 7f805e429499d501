// A column for each superstep, in a row of their own for what it did: all rows share the axis below.

const LANES = [
  {key: 'frontier', name: 'vertices in the frontier', text: count, tick: short},
  {key: 'edges', name: 'edges', text: count, tick: short},
  {key: 'seconds', name: 'time', text: seconds, tick: seconds},
  {key: 'link_bytes', name: 'over the link', text: bytes, tick: bytes},
  {key: 'disk_bytes', name: 'from disk', text: bytes, tick: bytes},
];
const LEAST_COLUMN = 3;  // pixels
const MOST_COLUMN = 84;
const MOST_ROWS = 400;   // of a table
const FEW = 6;           // supersteps that leave room for their numbers beside them

// Phases by number: their look does not rest on colour alone, for names stand in the lowest row.
function phasesOf(steps) {
  return [...new Set(steps.map((s) => s.direction))];
}

// Neighbours that share a column, where there is no room for one each.
function columnsOf(steps, most) {
  const columns = Math.max(1, Math.min(steps.length, most));
  return Array.from({length: columns}, (_, c) => {
    const first = Math.floor(c * steps.length / columns), last = Math.floor((c + 1) * steps.length / columns);
    const group = steps.slice(first, last);
    const found = {first, last, direction: group.every((s) => s.direction === group[0].direction) ? group[0].direction : 'mixed'};
    for (const {key} of LANES) {
      found[key] = group.reduce((sum, s) => sum + (s[key] || 0), 0) / group.length;
      found['most_' + key] = Math.max(...group.map((s) => s[key] || 0));
    }
    return found;
  });
}

function laneScale(steps, key, log) {
  const values = steps.map((s) => s[key] || 0);
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  const least = values.reduce((a, b) => (b > 0 ? Math.min(a, b) : a), most);
  if (log) return logarithmic(least < most ? least / 2 : most / 10, most * 1.05);
  return key.endsWith('bytes') ? linearBytes(0, most * 1.05) : linear(0, most * 1.05);
}

function drawSupersteps(steps, lanes, phases, log, chosen, width) {
  const narrow = width < 560;
  const left = narrow ? 62 : 76, right = 10, lane = narrow ? 76 : 88, strip = 18;
  const columns = columnsOf(steps, Math.floor((width - left - right) / LEAST_COLUMN));
  const step = Math.min(MOST_COLUMN, (width - left - right) / columns.length);
  const room = step * columns.length;
  const height = lanes.length * lane + strip + 40;
  const parts = [];
  lanes.forEach(({key, name, tick}, i) => {
    const top = i * lane + 22, floor = (i + 1) * lane - 6;
    const scale = laneScale(steps, key, log);
    const y = (v) => floor - scale.at(v) * (floor - top);
    const mark = log ? scale.ticks(2) : scale.ticks(3).filter((v) => v > 0);
    parts.push(svg('text', {class: 'name', x: left, y: top - 7}, name));
    for (const v of mark) {
      parts.push(svg('line', {class: 'grid', x1: left, x2: left + room, y1: y(v), y2: y(v)}),
                 svg('text', {x: left - 7, y: y(v) + 4, 'text-anchor': 'end'}, tick(v)));
    }
    columns.forEach((c, at) => {
      const look = c.direction === 'mixed' ? 'mixed' : 'phase' + phases.indexOf(c.direction) % 4;
      const gap = step > 6 ? Math.max(1, step * 0.15) : step > 3.5 ? 0.7 : 0;
      const bar = (v, also) => v > 0 && svg('rect', {class: `${look} ${also}`, x: (left + at * step + gap / 2).toFixed(2), width: (step - gap).toFixed(2),
        y: Math.min(y(v), floor - 1).toFixed(2), height: Math.max(1, floor - y(v)).toFixed(2), rx: step > 12 ? 2 : null,
        'shape-rendering': step < 6 && 'crispEdges'});
      parts.push(columns.length < steps.length && bar(c['most_' + key], 'pale'), bar(c[key], 'solid'));
    });
    parts.push(svg('line', {class: 'axis', x1: left, x2: left + room, y1: floor, y2: floor}));
  });
  parts.push(phaseStrip(columns, phases, left, step, lanes.length * lane, strip));
  const below = lanes.length * lane + strip + 16;
  for (const v of linear(1, steps.length).ticks(Math.max(1, Math.floor(room / 64))).filter((t) => Number.isInteger(t) && t >= 1)) {
    const x = left + (v - 0.5) / steps.length * room;
    parts.push(svg('text', {x, y: below, 'text-anchor': 'middle'}, count(v)));
  }
  parts.push(svg('text', {class: 'name', x: left, y: below + 18},
    columns.length < steps.length ? 'superstep; a column is the mean of several, the largest of them pale' : 'superstep'));
  const band = svg('rect', {class: 'chosen', width: Math.max(2, step), y: 2, height: lanes.length * lane + strip - 2, rx: 2});
  const drawn = canvas(width, height, parts, band);
  drawn.mark = (i) => band.setAttribute('x', left + columns.findIndex((c) => i < c.last) * step);
  drawn.mark(chosen);
  drawn.extent = {left, room};
  drawn.stepAt = (x) => {
    const at = Math.floor((x * width / drawn.getBoundingClientRect().width - left) / step);
    return at < 0 || at >= columns.length ? null : columns[at].first;
  };
  return drawn;
}

// Runs of a phase, with its name where there is room.
function phaseStrip(columns, phases, left, step, top, height) {
  const runs = [];
  columns.forEach((c, i) => {
    const run = runs[runs.length - 1];
    if (run && run.direction === c.direction) run.last = i + 1;
    else runs.push({direction: c.direction, first: i, last: i + 1});
  });
  return svg('g', {class: 'phases'}, runs.map((run) => {
    const x = left + run.first * step, width = (run.last - run.first) * step;
    const name = shown(run.direction);
    const look = run.direction === 'mixed' ? 'mixed' : 'phase' + phases.indexOf(run.direction) % 4;
    return svg('g', {}, svg('rect', {class: look + ' solid', x: x + 0.5, width: Math.max(1, width - 1), y: top, height: height - 4, rx: 2},
                            svg('title', {}, `${name}: supersteps ${columns[run.first].first + 1} to ${columns[run.last - 1].last}`)),
      width > name.length * 7 + 6 && svg('text', {class: 'on', x: x + width / 2, y: top + 11, 'text-anchor': 'middle'}, name));
  }));
}

function legend(phases) {
  return html('p', {class: 'legend'}, phases.map((p, i) => html('span', {}, html('i', {class: 'swatch phase' + i % 4, 'aria-hidden': 'true'}), shown(p))));
}

function superstepsSection(report) {
  const steps = report.supersteps || [];
  if (steps.length === 0) return note('The algorithm reported no supersteps.');
  const lanes = LANES.filter(({key}) => steps.some((s) => s[key] > 0));
  const phases = phasesOf(steps);
  const rows = () => {
    const head = steps.length > MOST_ROWS ? MOST_ROWS / 2 : steps.length;
    const row = (s, i) => [count(i + 1), shown(s.direction), ...lanes.map(({key, text}) => text(s[key]))];
    const found = steps.slice(0, head).map(row);
    if (head < steps.length) {
      found.push(['\u2026', '', ...lanes.map(() => '')]);
      for (let i = steps.length - head; i < steps.length; ++i) found.push(row(steps[i], i));
    }
    return found;
  };
  const inNumbers = numbers('every superstep in numbers', rows, ['superstep', 'direction', ...lanes.map((l) => l.name)], steps.length <= FEW);
  const joined = report.supersteps_joined > 1 &&
    html('p', {class: 'quiet'}, `There were more than a page holds: each superstep here stands for ${count(report.supersteps_joined)}, added up.`);
  if (lanes.length === 0) return [joined, inNumbers];
  let log = false;
  const longest = steps.reduce((best, s, i) => (s.seconds > steps[best].seconds ? i : best), 0);
  let chosen = longest;
  const label = `${plural(steps.length, 'superstep')}; the longest is superstep ${longest + 1} with ${seconds(steps[longest].seconds)}. ` +
    lanes.map((l) => `${l.name}: at most ${l.text(steps.reduce((m, s) => Math.max(m, s[l.key]), 0))}`).join('; ') + '.';
  const frame = picture(label, (width) => {
    const drawn = drawSupersteps(steps, lanes, phases, log, chosen, width);
    scrub.style.marginLeft = 100 * (drawn.extent.left - 8) / width + '%';  // the handle stands below its column
    scrub.style.width = Math.min(100 * Math.max(drawn.extent.room + 16, 120) / width, 100 - 100 * (drawn.extent.left - 8) / width) + '%';
    return drawn;
  });
  const readout = html('output', {class: 'readout'});
  const slider = html('input', {type: 'range', min: 1, max: steps.length, value: longest + 1, 'aria-label': 'superstep to look at'});
  const scrub = html('div', {class: 'scrub'}, slider);
  const choose = (i) => {
    chosen = i;
    const s = steps[i];
    slider.value = i + 1;
    slider.setAttribute('aria-valuetext', `superstep ${i + 1}`);
    readout.replaceChildren(html('b', {}, `superstep ${count(i + 1)}`), ` ${shown(s.direction)}`,
      ...lanes.map((l) => html('span', {}, `${l.name} `, html('b', {}, l.text(s[l.key])))));
    if (frame.firstChild) frame.firstChild.mark(i);
  };
  slider.addEventListener('input', () => choose(Number(slider.value) - 1));
  frame.addEventListener('pointermove', (e) => {
    const drawn = frame.firstChild;
    const i = drawn && drawn.stepAt(e.clientX - drawn.getBoundingClientRect().left);
    if (i !== null && i !== undefined && i !== chosen) choose(i);
  });
  const scale = html('input', {type: 'checkbox', onchange: (e) => { log = e.target.checked; frame.again(); }});
  choose(longest);
  const drawn = [html('div', {class: 'bar-above'}, phases.length > 1 ? legend(phases) : html('p', {class: 'legend'}, `direction: ${shown(phases[0])}`),
                      html('label', {class: 'switch'}, scale, ' logarithmic')),
                 frame, steps.length > 1 && scrub, steps.length > 1 && readout];
  if (steps.length > FEW) return [joined, drawn, inNumbers];
  return [joined, html('div', {class: 'columns'}, html('div', {}, drawn), html('div', {}, inNumbers))];
}
