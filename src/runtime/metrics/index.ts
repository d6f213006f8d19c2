export { MetricsRegistry } from './registry.ts';
export type { Counter, Gauge, Histogram, HistogramOptions, Labels, MetricOptions } from './registry.ts';
