// Distributions: of degrees, of values, of the sizes of sets.

const PLOT_HEIGHT = 250;

// Bars in the powers of two that the summary of a graph counts degrees by.
function degreePlot(name, summary) {
  const exponent = (least) => (least === 0 ? 0 : Math.log2(least) + 1);
  const bins = summary.histogram.map((b) => ({at: exponent(b.least), ...b}));
  if (bins.length === 0) return null;
  const last = Math.max(3, ...bins.map((b) => b.at));
  const most = Math.max(...bins.map((b) => b.vertices));
  const range = (b) => (b.least < 2 ? String(b.least) : `${count(b.least)}\u2013${count(Math.min(2 * b.least - 1, summary.maximum))}`);
  const draw = (width) => {
    const xs = linear(-0.5, last + 0.5), ys = logarithmic(0.5, most * 1.6);
    const room = Math.max(1, Math.ceil((last + 1) / Math.max(2, Math.floor((width - 72) / 48))));
    const xTicks = [];
    for (let i = 0; i <= last; i += room) xTicks.push(i);
    const area = plane(width, PLOT_HEIGHT, xs, ys, {
      xTicks, xText: (v) => (v === 0 ? '0' : short(2 ** (v - 1))), xName: name + ', from', yText: short});
    const bar = Math.max(2, area.inner.width / (last + 1) * 0.78);
    return canvas(width, PLOT_HEIGHT, area.grid, bins.map((b) =>
      svg('rect', {class: 'bar', x: area.x(b.at) - bar / 2, width: bar, y: area.y(b.vertices), height: area.floor - area.y(b.vertices), rx: 2},
          svg('title', {}, `${name} ${range(b)}: ${plural(b.vertices, 'vertex', 'vertices')}`))));
  };
  const p = summary.percentiles;
  const says = `mean ${number(Number(summary.mean.toPrecision(4)))}, median ${count(p['50'])}; ` +
    `99\u00a0% of the vertices have ${count(p['99'])} or fewer; the largest is ${count(summary.maximum)}`;
  return html('figure', {}, html('figcaption', {}, html('b', {}, words(name)), ': ', says, '.'),
    picture(`Vertices by ${name}, both logarithmic: ${says}.`, draw),
    numbers('in numbers', () => bins.map((b) => [range(b), count(b.vertices)]), [name, 'vertices']));
}

// Neighbouring bars together, where there are more than a plot of this width shows.
function merged(bins, most) {
  const together = Math.ceil(bins.counts.length / Math.max(1, most));
  if (together < 2) return bins;
  const counts = [];
  bins.counts.forEach((c, i) => { counts[Math.floor(i / together)] = (counts[Math.floor(i / together)] || 0) + c; });
  return {least: bins.least, width: bins.width * together, counts};
}

function histogramPlot(spread, whole, unit) {
  const name = words(spread.column);
  const uneven = (counts) => Math.max(...counts) > 300 * Math.min(...counts.filter((c) => c > 0));
  const log = uneven(spread.histogram.counts);
  const range = ({least, width}, i) => {
    const from = least + i * width, to = whole ? from + width - 1 : from + width;
    return from === to ? number(from) : `${number(from)}\u2013${number(to)}`;
  };
  const draw = (width) => {
    const bins = merged(spread.histogram, Math.floor((width - 72) / 2.5));
    const each = whole && bins.width === 1;
    const shift = each ? 0.5 : 0;  // a bar stands above its value
    const end = Math.max(bins.counts.length, each ? 8 : 1);
    const most = Math.max(...bins.counts), fewest = Math.min(...bins.counts.filter((c) => c > 0));
    const xs = linear(bins.least - shift, bins.least + (end - shift) * bins.width);
    const ys = log ? logarithmic(Math.min(0.5, fewest / 2), most * 1.6) : linear(0, most * 1.06);
    let xTicks = xs.ticks(Math.max(2, Math.floor((width - 72) / 76)));
    if (whole) xTicks = xTicks.filter(Number.isInteger);
    const area = plane(width, PLOT_HEIGHT, xs, ys, {xTicks, xText: short, xName: name, yText: short});
    const bar = area.inner.width / end;
    const gap = bar > 5 ? bar * 0.16 : 0;
    return canvas(width, PLOT_HEIGHT, area.grid, bins.counts.map((c, i) => c > 0 &&
      svg('rect', {class: 'bar', x: area.box.left + i * bar + gap / 2, width: Math.max(1, bar - gap), y: Math.min(area.y(c), area.floor - 1),
                   height: Math.max(1, area.floor - area.y(c)), rx: bar > 8 ? 2 : 0, 'shape-rendering': bar < 6 && 'crispEdges'},
          svg('title', {}, `${name} ${range(bins, i)}: ${plural(c, ...unit)}`))));
  };
  return {draw, name: log ? 'histogram, counts logarithmic' : 'histogram', headings: [name, unit[1]],
          rows: () => spread.histogram.counts.map((c, i) => [range(spread.histogram, i), count(c)]).filter((row, i) => spread.histogram.counts[i] > 0)};
}

function rankPlot(spread, unit) {
  const points = spread.ranks;
  if (points.length < 2) return null;
  const value = spread.of === 'sets' ? 'vertices in it' : words(spread.column);
  const draw = (width) => {
    const xs = decades(1, Math.max(10, points[points.length - 1][0]));
    const ys = decades(points[points.length - 1][1], points[0][1]);
    const area = plane(width, PLOT_HEIGHT, xs, ys, {xText: short, xName: `rank of the ${unit[1]}, largest first`, yText: short});
    const line = points.map(([r, v]) => `${area.x(r).toFixed(1)},${area.y(v).toFixed(1)}`).join(' ');
    const dots = points.length <= 60 ? points : points.slice(0, 1);
    return canvas(width, PLOT_HEIGHT, area.grid, svg('polyline', {class: 'curve', points: line}),
      dots.map(([r, v]) => svg('circle', {class: 'dot', cx: area.x(r), cy: area.y(v), r: 3},
                               svg('title', {}, `rank ${count(r)}: ${number(v)}`))));
  };
  // As many ranks as a table can be read with.
  const rows = () => points.filter((p, i) => points.length < 60 || i % Math.ceil(points.length / 50) === 0 || i === points.length - 1)
    .map(([r, v]) => [count(r), number(v)]);
  return {draw, name: 'by rank, both logarithmic', headings: ['rank', value], rows};
}

function spreadWords(spread, unit) {
  const three = (x) => number(Number(x.toPrecision(3)));
  const {count: n, least, most, median, mean} = spread;
  let says = `${plural(n, ...unit)}, `;
  if (least === most) says += `${n === 1 ? 'of' : 'all of'} ${number(least)}`;
  else says += `from ${number(least)} to ${number(most)}`;
  if (least !== most && median !== null) says += `, median ${spread.whole && median < 128 ? '' : 'about '}${three(median)}`;
  if (least !== most && spread.of !== 'sets') says += `, mean ${three(mean)}`;
  const rest = [spread.none > 0 && `${count(spread.none)} without a value`, spread.infinite > 0 && `${count(spread.infinite)} infinite`,
                spread.zero > 0 && spread.ranks && `${count(spread.zero)} of 0, not drawn`].filter(Boolean);
  return says + (rest.length ? `; ${rest.join(', ')}` : '');
}

// Where none of a distribution is to be seen, the words say it.
function spreadPlot(spread, meaning) {
  const sets = spread.of === 'sets';
  const unit = sets ? ['set', 'sets'] : spread.of === 'pairs' ? ['pair', 'pairs'] : ['vertex', 'vertices'];
  const title = sets ? `sizes of the sets (${words(spread.column)})` : words(spread.column);
  const heading = [html('b', {}, title), meaning && !sets ? ` (${shown(meaning)})` : ''];
  if (spread.note) return html('figure', {}, html('figcaption', {}, heading), note(spread.note));
  if (spread.count === 0) return html('figure', {}, html('figcaption', {}, heading), note('No vertex has a value.'));
  const says = spreadWords(spread, unit);
  const plot = spread.least === spread.most ? null : spread.ranks ? rankPlot(spread, unit) : histogramPlot(spread, spread.whole, unit);
  if (!plot) return html('figure', {}, html('figcaption', {}, heading, `: ${says}.`));
  return html('figure', {}, html('figcaption', {}, heading, `, ${plot.name}: ${says}.`),
    picture(`${title}, ${plot.name}: ${says}.`, plot.draw), numbers('in numbers', plot.rows, plot.headings));
}
