// What a run came to: its verdict, its numbers, its result, and where the edges lived.

function note(text) {
  return html('p', {class: 'note'}, shown(text));
}

function tile(value, name, more) {
  return html('div', {class: 'tile'}, html('dt', {}, name), html('dd', {}, html('b', {}, value), more && html('small', {}, more)));
}

function badge(look, mark, text) {
  return html('li', {class: 'badge ' + look}, html('span', {'aria-hidden': 'true'}, mark), ' ', text);
}

function header(report) {
  const graph = report.graph || {};
  const its = [`${plural(graph.vertices, 'vertex', 'vertices')}`, plural(graph.edges, 'edge'), graph.directed ? 'directed' : 'undirected',
               graph.weighted ? 'weighted' : 'unweighted'];
  const verdicts = [
    report.converged === false ? badge('bad', '\u2717', `not converged after ${plural(report.iterations, 'iteration')}`)
                               : badge('good', '\u2713', report.about && report.about.iterates ? `converged after ${plural(report.iterations, 'iteration')}` : 'finished'),
    report.verified === true ? badge('good', '\u2713', `verified in ${seconds(report.verify_seconds)}`)
      : report.verified === false ? badge('bad', '\u2717', 'verification failed') : badge('plain', '\u25cb', 'not verified'),
    badge('plain', '\u25a3', where(report))];
  return html('header', {},
    html('p', {class: 'kind'}, 'Fathom run'),
    html('h1', {}, shown(report.algorithm), html('span', {}, ' of '), fileName(graph.path)),
    report.about && report.about.purpose && html('p', {class: 'purpose'}, shown(report.about.purpose)),
    html('p', {class: 'quiet'}, its.join(' \u00b7 ')),
    html('ul', {class: 'badges', 'aria-label': 'verdict'}, verdicts));
}

function where(report) {
  const device = report.device || {};
  const name = shown(device.name || 'cpu');
  return device.kind === 'cuda' ? name : `${name}, ${plural(report.threads, 'thread')}`;
}

function tiles(report) {
  const trials = (report.seconds && report.seconds.trials) || [];
  const time = report.seconds && report.seconds.median;
  const spread = trials.length > 1 && `median of ${trials.length}: ${seconds(Math.min(...trials))} to ${seconds(Math.max(...trials))}`;
  const speed = typeof report.gteps === 'number' ? short(report.gteps * 1e9) : MISSING;
  return html('dl', {class: 'tiles'},
    tile(seconds(time), 'computed in', spread || 'the computation alone'),
    tile(speed, 'edges per second', `${short(report.edges_traversed)} looked at`),
    tile(count(report.iterations), report.iterations === 1 ? 'iteration' : 'iterations', plural((report.supersteps || []).length * (report.supersteps_joined || 1), 'superstep')),
    tile(seconds(report.load_seconds), 'loaded in', 'the graph opened'),
    tile(bytes(report.peak_resident_bytes), 'process memory', 'at most, by the system'));
}

// A small picture of a list of numbers.
function spark(values) {
  const most = Math.max(...values, 0);
  if (values.length < 3 || !(most > 0)) return null;
  const shownValues = values.length <= 60 ? values : Array.from({length: 60}, (_, i) => values[Math.floor(i * values.length / 60)]);
  const step = 120 / shownValues.length;
  return svg('svg', {viewBox: '0 0 120 22', width: 120, height: 22, class: 'spark', 'aria-hidden': 'true'},
    shownValues.map((v, i) => v > 0 && svg('rect', {class: 'bar', x: i * step, width: Math.max(1, step - (step > 3 ? 1 : 0)),
                                                    y: 22 - Math.max(1, 22 * v / most), height: Math.max(1, 22 * v / most)})));
}

const SHOWN_ROWS = 12;

function factValue(value) {
  if (value === null) return MISSING;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return number(value);
  if (typeof value === 'string') return shown(value);
  if (!Array.isArray(value)) return facts(value, {});
  if (value.length === 0) return 'none';
  if (value.every((v) => typeof v === 'number')) {
    const text = value.slice(0, 8).map(number).join(', ') + (value.length > 8 ? `, \u2026 (${count(value.length)} in all)` : '');
    return [spark(value), html('span', {class: 'list'}, text)];
  }
  if (value.every((v) => typeof v !== 'object')) return value.slice(0, SHOWN_ROWS).map(shown).join(', ') + (value.length > SHOWN_ROWS ? ', \u2026' : '');
  return rowsTable(value);
}

function rowsTable(rows) {
  const columns = [...new Set(rows.slice(0, SHOWN_ROWS).flatMap((r) => Object.keys(r || {})))];
  const cells = (r) => columns.map((c) => factValue(r[c] === undefined ? null : r[c]));
  const headings = columns.map(words);
  // Counts are in a plot beside it already.
  if (rows.length > 4 && rows.every((r) => Object.values(r).every((v) => typeof v === 'number')))
    return numbers(`${count(rows.length)} rows`, () => rows.slice(0, MOST_ROWS).map(cells), headings);
  return [html('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'rows'}, table(headings, rows.slice(0, SHOWN_ROWS).map(cells))),
          rows.length > SHOWN_ROWS && html('p', {class: 'quiet'}, `and ${count(rows.length - SHOWN_ROWS)} more`)];
}

function facts(result, meanings) {
  const its = Object.entries(result).filter(([name]) => name !== 'top');
  return html('table', {class: 'facts'}, html('tbody', {}, its.map(([name, value]) => html('tr', {},
    html('th', {scope: 'row'}, words(name), meanings[name] && html('small', {}, shown(meanings[name]))), html('td', {}, factValue(value))))));
}

function topTable(top) {
  const [key, value] = Object.keys(top[0]);
  const most = Math.max(...top.map((row) => Math.abs(row[value]) || 0));
  return html('div', {}, html('h3', {}, `Best ${top.length === 1 ? '' : count(top.length)} by ${words(value)}`),
    html('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'best'},
      html('table', {class: 'ranking'},
        html('thead', {}, html('tr', {}, html('th', {scope: 'col'}, '#'), html('th', {scope: 'col'}, words(key)), html('th', {scope: 'col'}, words(value)), html('th', {'aria-hidden': 'true'}))),
        html('tbody', {}, top.map((row, i) => html('tr', {}, html('td', {}, count(i + 1)), html('th', {scope: 'row'}, shown(row[key])),
          html('td', {}, number(row[value])), html('td', {'aria-hidden': 'true'}, share(Math.abs(row[value]) / most))))))));
}

function share(part) {
  const bar = html('i', {class: 'share'});
  bar.style.width = Math.max(0, Math.min(100, 100 * (part || 0))) + '%';
  return html('span', {class: 'track'}, bar);
}

function resultSection(report) {
  const result = report.result || {};
  const meanings = (report.about && report.about.facts) || {};
  const columns = (report.about && report.about.columns) || {};
  const values = report.values && !Array.isArray(report.values) ? note(report.values.note)
    : (report.values || []).map((spread) => spreadPlot(spread, columns[spread.column]));
  const left = [Object.keys(result).some((k) => k !== 'top') && facts(result, meanings),
                Array.isArray(result.top) && result.top.length > 0 && topTable(result.top)];
  return (left.some(Boolean) || values.length !== 0) && html('div', {class: 'columns'}, html('div', {}, left), html('div', {}, values));
}

// Where the lists are: which of the tiers below is their home.
function homeOf(report) {
  const gpu = report.device && report.device.kind === 'cuda';
  if (report.residency === 'resident') return gpu ? 'device' : 'host';
  if (report.residency === 'stream') return report.disk && (report.disk.bytes > 0 || report.disk.page_misses > 0) ? 'disk' : 'host';
  return 'host';
}

const RESIDENCIES = {
  mapped: 'The file is mapped into memory, and the system reads its pages when they are touched.',
  resident: 'All lists lie in the memory of the processor that runs the kernels.',
  zerocopy: 'The lists stay in host memory, and the GPU reads them there, over the link.',
  managed: 'The lists are in unified memory, whose pages migrate to the GPU when it touches them.',
  stream: 'The lists come in pages, which take turns in the memory that the budget leaves.',
};

function residencySection(report) {
  const device = report.device || {}, limits = report.limits || {}, home = homeOf(report);
  const box = (tier, name, lines) => html('li', {class: 'tier' + (tier === home ? ' home' : '')},
    html('h3', {}, name), tier === home && html('p', {class: 'lives'}, 'the edges live here'), lines.filter(Boolean).map((l) => html('p', {}, l)));
  const arrow = (text) => html('li', {class: 'arrow'}, html('span', {'aria-hidden': 'true'}), html('p', {}, text));
  const of = (used, limit, what) => typeof used === 'number' && (typeof limit === 'number' ? `${bytes(used)} of ${bytes(limit)} ${what}` : `${bytes(used)} ${what}`);
  const read = report.disk ? (report.disk.bytes > 0 ? `${bytes(report.disk.bytes)} read` : 'nothing read') : report.residency === 'mapped' ? 'mapped' : 'read once';
  const parts = [box('disk', 'Disk', [fileName((report.graph || {}).path)]), arrow(read),
    box('host', 'Host memory', [of(report.peak_host_bytes, limits.host_bytes, 'used'), device.kind === 'cpu' && `the kernels run here, on ${plural(report.threads, 'thread')}`])];
  if (device.kind && device.kind !== 'cpu') {
    const crossed = report.link ? `${bytes(report.link.bytes)} over the link` : report.residency === 'managed' ? 'pages migrate' : 'copied once';
    parts.push(arrow(crossed), box('device', shown(device.name), [of(report.peak_device_bytes, limits.device_bytes, 'used on the fullest'), 'the kernels run here']));
  }
  const strategies = {p: 'Strategy P: the devices share out the pages, and each has all of the vertex state.',
                      s: `Strategy S: the vertex state is shared out, in ${plural(report.chunks, 'chunk')}, and every device sees all pages.`};
  return [html('p', {}, html('b', {}, shown(report.residency)), ': ', RESIDENCIES[report.residency] || '', ' ', html('span', {class: 'quiet'}, `Why: ${shown(report.residency_reason)}.`)),
    html('ul', {class: 'tiers'}, parts), report.strategy && html('p', {class: 'quiet'}, strategies[report.strategy]),
    report.host_memory && html('p', {class: 'quiet'}, `Host memory for the GPU: ${bytes(report.host_memory.bytes)} (${report.host_memory.ways.join(', ')}) in ${seconds(report.host_memory.seconds)}.`,
      report.host_memory.notes.map(note))];
}
