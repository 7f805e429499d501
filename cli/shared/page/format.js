// Numbers and labels as people read them; the same words as the command's.

const MISSING = '\u2013';

function count(n) {
  return typeof n === 'number' ? n.toLocaleString('en-US', {maximumFractionDigits: 0}) : MISSING;
}

// Three digits, and a prefix: 12.3 M.
function short(n) {
  if (typeof n !== 'number' || !isFinite(n)) return MISSING;
  const size = Math.abs(n);
  if (size === 0) return '0';
  if (size < 1e-3 || size >= 1e18) return Number(n.toPrecision(2)).toExponential();
  if (size < 1e3) return String(Number(n.toPrecision(3)));
  const power = Math.min(5, Math.floor(Math.log10(size) / 3 + 1e-12));
  const scaled = Number((n / 1000 ** power).toPrecision(3));
  if (Math.abs(scaled) >= 1000 && power < 5) return scaled / 1000 + '\u00a0' + 'kMGTP'[power];
  return scaled + '\u00a0' + 'kMGTP'[power - 1];
}

function bytes(n) {
  if (typeof n !== 'number') return MISSING;
  let unit = 0;
  for (; n >= 1024 && unit < 6; ++unit) n /= 1024;
  return (unit === 0 ? n : Number(n.toPrecision(4))) + '\u00a0' + ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'][unit];
}

function seconds(s) {
  if (typeof s !== 'number') return MISSING;
  const digits = (x) => String(Number(x.toPrecision(3)));
  if (s === 0) return '0\u00a0s';
  if (s < 1e-3) return digits(s * 1e6) + '\u00a0\u00b5s';
  if (s < 1) return digits(s * 1e3) + '\u00a0ms';
  if (s < 100) return digits(s) + '\u00a0s';
  const whole = Math.round(s);
  const two = (x) => String(x).padStart(2, '0');
  if (whole < 3600) return Math.floor(whole / 60) + ':' + two(whole % 60);
  return Math.floor(whole / 3600) + ':' + two(Math.floor(whole / 60) % 60) + ':' + two(whole % 60);
}

// Of 10^9 bytes per second, as links and disks are sold.
function rate(gigabytes) {
  if (typeof gigabytes !== 'number') return MISSING;
  return gigabytes >= 1 ? Number(gigabytes.toPrecision(3)) + '\u00a0GB/s' : Number((gigabytes * 1e3).toPrecision(3)) + '\u00a0MB/s';
}

function percent(part, whole) {
  if (!(whole > 0)) return MISSING;
  const share = 100 * part / whole;
  return Number(share.toPrecision(share < 10 || share > 99 ? 2 : 3)) + '\u00a0%';
}

function number(x) {
  if (typeof x !== 'number') return MISSING;
  if (Number.isInteger(x) && Math.abs(x) < 1e15) return count(x);
  const rounded = Number(x.toPrecision(6));
  return Math.abs(x) < 1e-4 ? rounded.toExponential() : String(rounded);
}

// What a label or a name has that cannot be seen, or turns text round, is spelled out.
function shown(text) {
  if (text === undefined || text === null) return MISSING;
  return String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => '\\u{' + c.codePointAt(0).toString(16) + '}');
}

function words(name) {
  return shown(name).replaceAll('_', ' ');
}

function plural(n, one, many = one + 's') {
  return count(n) + '\u00a0' + (n === 1 ? one : many);
}

function fileName(path) {
  return path === undefined ? MISSING : shown(String(path).split('/').pop());
}
