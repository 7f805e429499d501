// Elements, scales and axes.

const SVG = document.getElementById('drawing').namespaceURI;

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'class') element.setAttribute('class', value);
    else if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat(9)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child);  // text becomes text, whatever it says
  }
  return element;
}

function html(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function linear(low, high) {
  return {
    low, high, log: false,
    at: (v) => (high > low ? (v - low) / (high - low) : 0),
    ticks(most) {
      const raw = (high - low) / Math.max(1, most);
      if (!(raw > 0)) return [low];
      const power = 10 ** Math.floor(Math.log10(raw));
      const step = [1, 2, 5, 10].find((m) => m * power >= raw * 0.999) * power;
      const found = [];
      for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) found.push(Number((i * step).toPrecision(12)));
      return found;
    },
  };
}

// With marks at whole numbers of KiB, MiB, ...
function linearBytes(low, high) {
  const unit = 1024 ** Math.max(0, Math.floor(Math.log2(Math.max(high, 1)) / 10));
  const scaled = linear(low / unit, high / unit);
  return {low, high, log: false, at: (v) => scaled.at(v / unit), ticks: (most) => scaled.ticks(most).map((v) => v * unit)};
}

function logarithmic(low, high) {
  const from = Math.log10(low), to = Math.log10(high);
  return {
    low, high, log: true,
    at: (v) => (to > from ? (Math.log10(Math.max(v, low)) - from) / (to - from) : 0),
    ticks(most) {
      const first = Math.ceil(from - 1e-9), last = Math.floor(to + 1e-9);
      if (last - first < 1) return linear(low, high).ticks(most).filter((v) => v >= low);
      const step = Math.max(1, Math.ceil((last - first) / Math.max(1, most)));
      const found = [];
      for (let e = first; e <= last; e += step) found.push(10 ** e);
      return found;
    },
  };
}

// From a power of ten to a power of ten.
function decades(low, high) {
  const from = Math.floor(Math.log10(low) + 1e-9);
  const to = Math.max(from + 1, Math.ceil(Math.log10(high) - 1e-9));
  return logarithmic(10 ** from, 10 ** to);
}

// A picture that is drawn to the width there is, again when that changes.
function picture(label, draw, attributes) {
  const frame = html('div', {class: 'picture', ...attributes});
  let width = 0;
  const redraw = () => {
    const wanted = Math.max(240, Math.floor(frame.clientWidth));
    if (!frame.clientWidth || wanted === width) return;
    width = wanted;
    again();
  };
  const again = () => {
    const drawn = draw(width);
    drawn.setAttribute('role', 'img');
    drawn.setAttribute('aria-label', label);
    frame.replaceChildren(drawn);
  };
  if (window.ResizeObserver) new ResizeObserver(() => requestAnimationFrame(redraw)).observe(frame);
  else window.addEventListener('resize', redraw);
  requestAnimationFrame(redraw);
  frame.again = () => { if (width) again(); };
  return frame;
}

function canvas(width, height, ...children) {
  return svg('svg', {viewBox: `0 0 ${width} ${height}`, width, height, class: 'plot'}, children);
}

// An area with axes: x(v), y(v) place values in it.
function plane(width, height, xs, ys, options) {
  const box = {left: 58, right: 14, top: 12, bottom: 40, ...options.box};
  const inner = {width: width - box.left - box.right, height: height - box.top - box.bottom};
  const x = (v) => box.left + xs.at(v) * inner.width;
  const y = (v) => box.top + (1 - ys.at(v)) * inner.height;
  const grid = svg('g', {class: 'axes'});
  for (const v of ys.ticks(Math.max(2, Math.floor(inner.height / 42)))) {
    grid.append(svg('line', {class: 'grid', x1: box.left, x2: width - box.right, y1: y(v), y2: y(v)}),
                svg('text', {x: box.left - 8, y: y(v) + 4, 'text-anchor': 'end'}, options.yText(v)));
  }
  for (const v of options.xTicks || xs.ticks(Math.max(2, Math.floor(inner.width / 76)))) {
    grid.append(svg('line', {class: 'tick', x1: x(v), x2: x(v), y1: height - box.bottom, y2: height - box.bottom + 4}),
                svg('text', {x: x(v), y: height - box.bottom + 17, 'text-anchor': 'middle'}, options.xText(v)));
  }
  grid.append(svg('line', {class: 'axis', x1: box.left, x2: width - box.right, y1: height - box.bottom, y2: height - box.bottom}),
              svg('text', {class: 'name', x: box.left + inner.width / 2, y: height - 6, 'text-anchor': 'middle'}, options.xName));
  return {x, y, box, inner, grid, floor: height - box.bottom};
}

// Rows of numbers beside a picture of them, for those who do not see it.
function numbers(summary, makeRows, headings, open) {
  const details = html('details', {class: 'numbers', open}, html('summary', {}, summary));
  const make = () => {
    if (!details.open || details.querySelector('table')) return;
    details.append(html('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': summary}, table(headings, makeRows())));
  };
  details.addEventListener('toggle', make);
  make();
  return details;
}

function table(headings, rows) {
  const cell = (value, i) => (i === 0 ? html('th', {scope: 'row'}, value) : html('td', {}, value));
  return html('table', {},
    html('thead', {}, html('tr', {}, headings.map((h) => html('th', {scope: 'col'}, h)))),
    html('tbody', {}, rows.map((row) => html('tr', {}, row.map(cell)))));
}
