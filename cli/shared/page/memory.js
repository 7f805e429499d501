// What moved and what it took, beside what could move and what the plan said.

// A bar of something, with what it is measured against.
function meter(name, value, most, text, mark) {
  const track = html('span', {class: 'track wide'}, share(most > 0 ? value / most : 0).firstChild);
  if (mark) {
    const line = html('i', {class: 'mark', title: mark.text});
    line.style.left = Math.min(100, 100 * mark.at / most) + '%';
    track.append(line);
  }
  return html('div', {class: 'meter'}, html('span', {}, name), track, html('span', {class: 'says'}, text));
}

// The fastest superstep of those that take long enough for a rate to mean something.
function fastest(report, key) {
  const steps = (report.supersteps || []).filter((s) => s.seconds > 1e-5);
  return steps.reduce((best, s) => Math.max(best, s[key] / s.seconds / 1e9), 0);
}

function transfer(report, name, its, key, ceiling, ceilingName) {
  const peak = Math.max(fastest(report, key), its.gbps || 0);
  const most = Math.max(ceiling || 0, peak, 1e-12);
  const of = ceiling ? `${percent(its.gbps, ceiling)} of the ${rate(ceiling)} that ${ceilingName}` : `its ceiling was not measured`;
  return html('div', {}, html('h3', {}, name),
    meter('whole run', its.gbps, most, `${rate(its.gbps)}, ${of}`),
    peak > 0 && meter('fastest superstep', peak, most, rate(peak) + (ceiling ? `, ${percent(peak, ceiling)}` : '')),
    html('p', {class: 'quiet'}, `${bytes(its.bytes)} in ${plural(its.requests, 'request')}`,
      its.requests > 0 && `, ${bytes(Math.round(its.bytes / its.requests))} each`,
      typeof its.amplification === 'number' && `; ${number(Number(its.amplification.toPrecision(3)))} bytes per byte of the edges looked at`,
      typeof its.seconds_waited === 'number' && `; ${seconds(its.seconds_waited)} waited for it with nothing else to do`, '.'));
}

function hits(name, hit, missed, more) {
  const all = hit + missed;
  if (!(all > 0)) return null;
  return html('div', {}, html('h3', {}, name),
    meter('found', hit, all, `${count(hit)} of ${count(all)} pages, ${percent(hit, all)}`), html('p', {class: 'quiet'}, more));
}

function transfersSection(report) {
  const limits = report.limits || {};
  const disk = report.disk, link = report.link, cache = report.cache;
  if (!disk && !link && !cache) return null;
  const parts = [];
  if (link) parts.push(transfer(report, 'Over the link', link, 'link_bytes', link.ceiling_gbps, 'the link can'));
  if (disk && disk.bytes > 0) {
    const ceiling = limits.disk_bytes_per_second ? limits.disk_bytes_per_second / 1e9 : null;
    parts.push(transfer(report, 'From disk', disk, 'disk_bytes', ceiling, '`fathom doctor --measure` measured'));
  } else if (disk) {
    parts.push(html('div', {}, html('h3', {}, 'From disk'), html('p', {class: 'quiet'}, 'Nothing was read during the run.')));
  }
  if (cache) parts.push(hits('Cache', cache.hits, cache.misses, typeof cache.bytes === 'number' ? `Pages found where kernels run; the cache had ${bytes(cache.bytes)}.` : 'Pages found where kernels run.'));
  if (disk && cache && (disk.page_hits !== cache.hits || disk.page_misses !== cache.misses))
    parts.push(hits('Buffer in host memory', disk.page_hits, disk.page_misses, 'Pages that did not have to be read from disk.'));
  return html('div', {class: 'cards'}, parts);
}

// A row: what was planned (an outline), what happened (a bar) and what was allowed (a line).
function compared(name, unit, happened, low, high, limit) {
  const most = Math.max(happened || 0, high || 0, 1e-12);
  const drawsLimit = typeof limit === 'number' && limit < 4 * most;
  const scale = Math.max(most, drawsLimit ? limit : 0) * 1.04;
  const track = html('span', {class: 'track wide tall', 'aria-hidden': 'true'});
  const add = (look, from, to) => {
    const part = html('i', {class: look});
    part.style.left = 100 * from / scale + '%';
    part.style.width = Math.max(0.4, 100 * (to - from) / scale) + '%';
    track.append(part);
  };
  if (typeof happened === 'number') add('happened', 0, happened);
  if (typeof high === 'number') add('planned', low === high ? 0 : low, high);
  if (drawsLimit) add('limit', limit, limit);
  const planned = typeof high !== 'number' ? MISSING : low === high ? unit(high) : `${unit(low)} to ${unit(high)}`;
  const cell = (text) => html('td', {class: text === MISSING && 'none'}, text);
  return html('tr', {}, html('th', {scope: 'row'}, name), cell(planned), html('td', {}, html('b', {}, unit(happened))),
    cell(typeof limit === 'number' ? unit(limit) : MISSING), html('td', {class: 'drawn'}, track));
}

function memorySection(report) {
  const plan = report.plan && !report.plan.note ? report.plan : {};
  const limits = report.limits || {}, foretold = plan.prediction || {};
  const range = (r) => (r && r.high > 0 ? [r.low, r.high] : []);
  const peak = (p) => (p ? [p.peak_bytes, p.peak_bytes] : []);
  const fetched = report.disk && report.disk.bytes > 0 ? report.disk.bytes : report.link ? report.link.bytes : null;
  const rows = [];
  rows.push(compared('time', seconds, report.seconds && report.seconds.median, ...range(foretold.seconds), null));
  if (range(foretold.supersteps).length) rows.push(compared('supersteps', count, report.iterations, ...range(foretold.supersteps), null));
  if (fetched !== null) {
    const [low, high] = range(foretold.fetched_bytes);
    rows.push(compared('bytes fetched', bytes, fetched, low, high, null));
  }
  if (typeof report.peak_device_bytes === 'number' || plan.device) {
    const [low, high] = peak(plan.device);
    rows.push(compared('a device\u2019s memory', bytes, report.peak_device_bytes, low, high, limits.device_bytes));
  }
  const [low, high] = peak(plan.host);
  rows.push(compared('the host\u2019s budget', bytes, report.peak_host_bytes, low, high, limits.host_bytes));
  rows.push(compared('the whole process', bytes, report.peak_resident_bytes, undefined, undefined, null));
  const head = ['', 'planned', 'happened', 'allowed', ''];
  const missing = report.plan && (report.plan.note || report.plan.missing || (!report.plan.prediction && 'no times: there is no model of this run'));
  return [html('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'planned and happened'},
      html('table', {class: 'compared'}, html('thead', {}, html('tr', {}, head.map((h) => html('th', {scope: 'col'}, h)))), html('tbody', {}, rows))),
    html('p', {class: 'legend'}, html('span', {}, html('i', {class: 'swatch happened', 'aria-hidden': 'true'}), 'happened'),
      html('span', {}, html('i', {class: 'swatch planned', 'aria-hidden': 'true'}), 'planned'), html('span', {}, html('i', {class: 'swatch limit', 'aria-hidden': 'true'}), 'allowed')),
    missing && note(report.plan.note ? `No plan: ${missing}` : missing), plan.holdings && holdings(plan)];
}

function holdings(plan) {
  const most = Math.max(...plan.holdings.map((h) => h.bytes), 1);
  return html('div', {}, html('h3', {}, 'What the plan puts where'),
    html('p', {class: 'quiet'}, `${shown(plan.executor)}; ${shown(plan.residency)}: ${shown(plan.reason)}.`),
    html('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'what the plan puts where'}, html('table', {class: 'holdings'},
      html('thead', {}, html('tr', {}, ['tier', 'what', 'bytes', ''].map((h) => html('th', {scope: 'col'}, h)))),
      html('tbody', {}, plan.holdings.map((h) => html('tr', {}, html('th', {scope: 'row'}, h.tier), html('td', {}, shown(h.what)), html('td', {}, bytes(h.bytes)),
        html('td', {class: 'drawn', 'aria-hidden': 'true'}, share(h.bytes / most))))))));
}

// Lanes of a trace: how many reads, copies or kernels were under way, over time.
function timelineSection(report) {
  const line = report.timeline;
  if (!line) return null;
  if (line.note) return note(line.note);
  const says = line.lanes.map((l) => `${l.name}: ${plural(l.spans, 'span')}, busy for ${percent(l.busy_seconds, line.seconds)} of the time` + (l.bytes > 0 ? `, ${bytes(l.bytes)}` : ''));
  const brief = (l) => `${l.name}: busy for ${percent(l.busy_seconds, line.seconds)} of the time`;
  const draw = (width) => {
    const left = width < 560 ? 40 : 62, right = 12, lane = 74, room = width - left - right;
    const parts = [];
    line.lanes.forEach((l, i) => {
      const top = i * lane + 24, floor = (i + 1) * lane - 6;
      const most = Math.max(1, ...l.active);
      const y = (v) => floor - v / most * (floor - top);
      const step = room / l.active.length;
      let path = `M${left},${floor}`;
      l.active.forEach((v, j) => { path += `V${y(v).toFixed(1)}H${(left + (j + 1) * step).toFixed(1)}`; });
      parts.push(svg('text', {class: 'name', x: left, y: top - 8}, shown(width < 560 ? brief(l) : says[i])),
        svg('text', {x: left - 7, y: top + 4, 'text-anchor': 'end'}, number(Number(most.toPrecision(2)))),
        svg('text', {x: left - 7, y: floor + 3, 'text-anchor': 'end'}, '0'),
        svg('line', {class: 'grid', x1: left, x2: width - right, y1: top, y2: top}),
        svg('path', {class: 'area lane' + i % 4, d: path + `V${floor}Z`}), svg('line', {class: 'axis', x1: left, x2: width - right, y1: floor, y2: floor}));
    });
    const below = line.lanes.length * lane + 12;
    const xs = linear(0, line.seconds);
    for (const v of xs.ticks(Math.max(2, Math.floor(room / 90)))) parts.push(svg('text', {x: left + xs.at(v) * room, y: below, 'text-anchor': 'middle'}, seconds(v)));
    return canvas(width, below + 8, parts);
  };
  return [html('p', {class: 'quiet'}, 'How many were under way at a time, since the graph was opened; the file of --trace has every one.'),
    picture(`Timeline of ${seconds(line.seconds)}. ${says.join('. ')}.`, draw)];
}
