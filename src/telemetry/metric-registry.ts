/** One value of each label, in the order of the names. */
export type LabelValues = readonly string[];

export type MetricKind = 'counter' | 'gauge' | 'histogram';

export interface MetricDescription {
  /** Dotted, as OpenTelemetry writes it: `crosspoint.calls`. */
  readonly name: string;
  readonly help: string;
  readonly unit?: 's' | 'By';
  readonly labels?: readonly string[];
}

export interface HistogramValue {
  /** One for each bound, and one for what is above all of them. */
  readonly counts: readonly number[];
  readonly sum: number;
}

export interface Series {
  readonly labels: LabelValues;
  readonly value: number | HistogramValue;
}

export interface MetricReading extends MetricDescription {
  readonly kind: MetricKind;
  readonly bounds?: readonly number[];
  readonly series: readonly Series[];
}

/** Called when somebody wants to know. */
export type ReadSeries = () => readonly { readonly labels: LabelValues; readonly value: number }[];

/** So many combinations of labels are told apart; whatever comes after them is counted together. */
export const MOST_SERIES = 400;
export const REST = 'other';

/** Numbers about the hub, kept in memory. What they are sent as is decided elsewhere. */
export class MetricRegistry {
  readonly startedAt: number;
  readonly #read: (() => MetricReading)[] = [];

  constructor(startedAt: number) {
    this.startedAt = startedAt;
  }

  counter(name: string, help: string, labels: readonly string[], unit?: 's'): Counter {
    const counter = new Counter(labels.length);
    const description = { name, help, labels, ...(unit && { unit }) };
    this.#read.push(() => ({ ...description, kind: 'counter', series: counter.series() }));
    return counter;
  }

  histogram(description: MetricDescription, bounds: readonly number[]): Histogram {
    const histogram = new Histogram(description.labels?.length ?? 0, bounds);
    this.#read.push(() => ({ ...description, kind: 'histogram', bounds, series: histogram.series() }));
    return histogram;
  }

  /** Of something that is counted elsewhere already. */
  observe(kind: 'counter' | 'gauge', description: MetricDescription, read: ReadSeries): void {
    this.#read.push(() => ({ ...description, kind, series: read().slice(0, MOST_SERIES) }));
  }

  read(): readonly MetricReading[] {
    return this.#read.map((read) => read());
  }
}

/** Cells by labels, bounded. */
abstract class Table<Cell> {
  readonly #cells = new Map<string, { readonly labels: LabelValues; readonly cell: Cell }>();
  readonly #rest: LabelValues;

  constructor(labels: number) {
    this.#rest = Array.from({ length: labels }, () => REST);
  }

  protected abstract empty(): Cell;

  protected cellOf(labels: LabelValues): Cell {
    const key = labels.length === 1 ? (labels[0] as string) : labels.join('\n');
    const known = this.#cells.get(key);
    if (known !== undefined) return known.cell;
    if (this.#cells.size >= MOST_SERIES && labels !== this.#rest) return this.cellOf(this.#rest);
    const cell = this.empty();
    this.#cells.set(key, { labels, cell });
    return cell;
  }

  protected entries() {
    return [...this.#cells.values()];
  }
}

export class Counter extends Table<{ value: number }> {
  add(labels: LabelValues = [], amount = 1): void {
    this.cellOf(labels).value += amount;
  }

  series(): readonly Series[] {
    return this.entries().map(({ labels, cell }) => ({ labels, value: cell.value }));
  }

  protected empty() {
    return { value: 0 };
  }
}

export class Histogram extends Table<{ readonly counts: number[]; sum: number }> {
  readonly #bounds: readonly number[];

  constructor(labels: number, bounds: readonly number[]) {
    super(labels);
    this.#bounds = bounds;
  }

  record(labels: LabelValues, value: number): void {
    const cell = this.cellOf(labels);
    const above = this.#bounds.findIndex((bound) => value <= bound);
    const place = above === -1 ? this.#bounds.length : above;
    cell.counts[place] = (cell.counts[place] ?? 0) + 1;
    cell.sum += value;
  }

  series(): readonly Series[] {
    return this.entries().map(({ labels, cell: { counts, sum } }) => ({
      labels,
      value: { counts: [...counts], sum },
    }));
  }

  protected empty() {
    return { counts: Array.from({ length: this.#bounds.length + 1 }, () => 0), sum: 0 };
  }
}
