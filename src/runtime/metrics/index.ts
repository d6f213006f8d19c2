export { MetricsRegistry } from './registry.ts';
export type {
  Counter,
  Gauge,
  Histogram,
  HistogramOptions,
  HistogramSeries,
  Labels,
  MetricOptions,
  Series,
} from './registry.ts';
