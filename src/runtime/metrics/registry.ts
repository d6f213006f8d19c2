/** Values of a metric's labels, by name; every label of the metric must be given. */
export type Labels<L extends string> = Readonly<Record<L, string>>;

export interface MetricOptions<L extends string> {
  /** In Prometheus' form: letters, digits and `_`; of counters it ends in `_total`. */
  readonly name: string;
  readonly help: string;
  /** Names of labels; default: none. */
  readonly labels?: readonly L[];
}

export interface HistogramOptions<L extends string> extends MetricOptions<L> {
  /** Upper bounds, rising; `+Inf` is added. */
  readonly buckets: readonly number[];
}

/** One series of a metric, found once: for places that are passed often. */
export interface Series {
  /** Adds to a counter or gauge (default 1). */
  inc(by?: number): void;
}

/** One series of a histogram. */
export interface HistogramSeries {
  observe(value: number): void;
}

/** A number that only grows. */
export interface Counter<L extends string = never> {
  /** The series of these labels; it is shown from now on, with 0 to begin with. */
  series(labels: Labels<L>): Series;
  /** Adds `by` (>= 0, default 1) to the series of these labels. */
  inc(labels: Labels<L>, by?: number): void;
  /** For counters that are kept elsewhere and read when they are asked for. */
  set(labels: Labels<L>, value: number): void;
}

/** A number that goes up and down. */
export interface Gauge<L extends string = never> {
  set(labels: Labels<L>, value: number): void;
  inc(labels: Labels<L>, by?: number): void;
  /** Forgets all series, so that those that are gone are not shown with their last value. */
  clear(): void;
}

/** Counts observations by size. */
export interface Histogram<L extends string = never> {
  observe(labels: Labels<L>, value: number): void;
  /** The series of these labels; it is shown from now on, with no observation to begin with. */
  series(labels: Labels<L>): HistogramSeries;
}

interface Metric {
  readonly name: string;
  expose(lines: string[]): void;
}

/** The content type of what `expose` gives. */
export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const labelName = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/**
 * The metrics of one manager, in Prometheus' text format. Nothing is global: two managers in a process do not mix their numbers, and one
 * that has stopped leaves nothing behind.
 */
export class MetricsRegistry {
  readonly #metrics = new Map<string, Metric>();
  readonly #collectors: (() => void)[] = [];

  /** Throws when the name is taken or no metric name; the same holds for the other kinds. */
  counter<L extends string = never>(options: MetricOptions<L>): Counter<L> {
    return this.#add(new Value(options, 'counter'));
  }

  gauge<L extends string = never>(options: MetricOptions<L>): Gauge<L> {
    return this.#add(new Value(options, 'gauge'));
  }

  histogram<L extends string = never>(options: HistogramOptions<L>): Histogram<L> {
    return this.#add(new Distribution(options));
  }

  /** Called before each exposition: for numbers that are looked up rather than counted. */
  collect(collector: () => void): void {
    this.#collectors.push(collector);
  }

  /** All metrics as text. */
  expose(): string {
    for (const collector of this.#collectors) {
      collector();
    }
    const lines: string[] = [];
    for (const metric of this.#metrics.values()) {
      metric.expose(lines);
    }
    return `${lines.join('\n')}\n`;
  }

  #add<M extends Metric>(metric: M): M {
    if (this.#metrics.has(metric.name)) {
      throw new Error(`there is a metric named ${metric.name} already`);
    }
    this.#metrics.set(metric.name, metric);
    return metric;
  }
}

/** What metrics of all types have in common: a series for each set of label values, found by the values. */
class AllSeries<L extends string, V> {
  readonly name: string;
  readonly #help: string;
  readonly #type: string;
  readonly #labels: readonly L[];
  readonly #values = new Map<string, V>();

  constructor(options: MetricOptions<L>, type: string) {
    const { name, help, labels = [] } = options;
    const wrong = metricName.test(name) ? labels.find((label) => !labelName.test(label)) : name;
    if (wrong !== undefined) {
      throw new RangeError(`not a name of a metric or a label: ${JSON.stringify(wrong)}`);
    }
    this.name = name;
    this.#help = help;
    this.#type = type;
    this.#labels = labels;
  }

  get(labels: Labels<L>, make: () => V): V {
    const key = this.#key(labels);
    let value = this.#values.get(key);
    if (value === undefined) {
      value = make();
      this.#values.set(key, value);
    }
    return value;
  }

  clear(): void {
    this.#values.clear();
  }

  expose(lines: string[], write: (labels: string, value: V) => void): void {
    lines.push(`# HELP ${this.name} ${escape(this.#help)}`, `# TYPE ${this.name} ${this.#type}`);
    for (const [labels, value] of this.#values) {
      write(labels, value);
    }
  }

  /** `a="1",b="2"`: the labels as they are shown. */
  #key(labels: Labels<L>): string {
    let key = '';
    for (const label of this.#labels) {
      const value = labels[label];
      if (typeof value !== 'string') {
        throw new TypeError(`${this.name}: the label ${label} must be given`);
      }
      key += `${key === '' ? '' : ','}${label}="${escape(value).replaceAll('"', '\\"')}"`;
    }
    return key;
  }
}

class Value<L extends string> implements Counter<L>, Gauge<L>, Metric {
  readonly #series: AllSeries<L, { value: number }>;
  readonly #grows: boolean;

  constructor(options: MetricOptions<L>, type: 'counter' | 'gauge') {
    this.#series = new AllSeries(options, type);
    this.#grows = type === 'counter';
  }

  get name(): string {
    return this.#series.name;
  }

  inc(labels: Labels<L>, by?: number): void {
    this.series(labels).inc(by);
  }

  series(labels: Labels<L>): Series {
    const series = this.#series.get(labels, () => ({ value: 0 }));
    return {
      inc: (by = 1) => {
        if (this.#grows && !(by >= 0)) {
          throw new RangeError(`${this.name}: a counter only grows, not by ${by}`);
        }
        series.value += by;
      },
    };
  }

  set(labels: Labels<L>, value: number): void {
    this.#series.get(labels, () => ({ value })).value = value;
  }

  clear(): void {
    this.#series.clear();
  }

  expose(lines: string[]): void {
    this.#series.expose(lines, (labels, { value }) => {
      lines.push(`${this.name}${braced(labels)} ${number(value)}`);
    });
  }
}

interface Counts {
  readonly buckets: number[];
  count: number;
  sum: number;
}

class Distribution<L extends string> implements Histogram<L>, Metric {
  readonly #series: AllSeries<L, Counts>;
  readonly #buckets: readonly number[];

  constructor(options: HistogramOptions<L>) {
    this.#series = new AllSeries(options, 'histogram');
    this.#buckets = options.buckets;
    if (options.buckets.some((bound, index) => !(bound > (options.buckets[index - 1] ?? Number.NEGATIVE_INFINITY)))) {
      throw new RangeError(`${options.name}: the buckets must rise`);
    }
  }

  get name(): string {
    return this.#series.name;
  }

  observe(labels: Labels<L>, value: number): void {
    this.series(labels).observe(value);
  }

  series(labels: Labels<L>): HistogramSeries {
    const counts = this.#series.get(labels, () => ({ buckets: [], count: 0, sum: 0 }));
    return {
      observe: (value) => {
        const index = this.#buckets.findIndex((bound) => value <= bound);
        if (index !== -1) {
          counts.buckets[index] = (counts.buckets[index] ?? 0) + 1;
        }
        counts.count++;
        counts.sum += value;
      },
    };
  }

  expose(lines: string[]): void {
    this.#series.expose(lines, (labels, { buckets, count, sum }) => {
      const prefix = labels === '' ? '' : `${labels},`;
      let total = 0;
      for (const [index, bound] of this.#buckets.entries()) {
        total += buckets[index] ?? 0;
        lines.push(`${this.name}_bucket{${prefix}le="${number(bound)}"} ${total}`);
      }
      lines.push(
        `${this.name}_bucket{${prefix}le="+Inf"} ${count}`,
        `${this.name}_sum${braced(labels)} ${number(sum)}`,
        `${this.name}_count${braced(labels)} ${count}`,
      );
    });
  }
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`;
}

function escape(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function number(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}
