// The page: its sections in order, each of which stands for itself.

function section(title, make, look = '') {
  let content;
  try {
    content = make();
  } catch (e) {
    content = note(`This part could not be drawn: ${e.message}`);
  }
  if (!content || (Array.isArray(content) && !content.some(Boolean))) return null;
  const id = title.toLowerCase().replaceAll(/[^a-z]+/g, '-');
  return html('section', {class: look, 'aria-labelledby': id}, html('h2', {id}, title), content);
}

function degreesSection(report) {
  const degrees = report.degrees;
  if (!degrees) return null;
  if (degrees.note) return note(degrees.note);
  const directed = report.graph && report.graph.directed;
  const plots = [degrees.out && degreePlot(directed ? 'out-degree' : 'degree', degrees.out), degrees.in && degreePlot('in-degree', degrees.in)].filter(Boolean);
  return plots.length > 0 && html('div', {class: plots.length > 1 ? 'columns even' : ''}, plots);
}

function aboutSection(report) {
  const made = report.made || {};
  const graph = report.graph || {};
  const rows = [['command', made.command], ['made', made.time && `${made.time}, by fathom ${made.version}`], ['graph', graph.path], ['fingerprint of the graph', graph.fingerprint],
                ['verified in', typeof report.verify_seconds === 'number' ? seconds(report.verify_seconds) : null]].filter(([, v]) => v);
  const raw = html('details', {class: 'numbers'}, html('summary', {}, 'the report as JSON'));
  raw.addEventListener('toggle', () => {
    if (raw.open && !raw.querySelector('pre')) raw.append(html('pre', {tabindex: 0, role: 'region', 'aria-label': 'the report as JSON'}, shownLines(JSON.stringify(report, null, 1))));
  });
  return [html('table', {class: 'facts'}, html('tbody', {}, rows.map(([name, value]) => html('tr', {}, html('th', {scope: 'row'}, name), html('td', {class: 'breaks'}, shown(value)))))), raw];
}

function shownLines(text) {
  return text.split('\n').map(shown).join('\n');
}

const report = JSON.parse(document.getElementById('report').textContent);
const page = document.getElementById('page');
page.replaceChildren(...[
  header(report),
  tiles(report),
  section('Result', () => resultSection(report)),
  section('Supersteps', () => superstepsSection(report)),
  section('Where the edges lived', () => residencySection(report)),
  section('Link, disk and caches', () => transfersSection(report)),
  section('Planned and happened', () => memorySection(report)),
  section('Timeline', () => timelineSection(report)),
  section('The graph\u2019s degrees', () => degreesSection(report)),
  section('About this run', () => aboutSection(report)),
].filter(Boolean));
