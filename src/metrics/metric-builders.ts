import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** Creates the functions that add a metric to a registry. */
export function createMetricBuilders(registry: Registry) {
  const registers = [registry]
  return {
    counter: (name: string, help: string, labelNames: string[] = []) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: (name: string, help: string, labelNames: string[] = []) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: (name: string, help: string, options: { buckets: number[]; labelNames?: string[] }) =>
      new Histogram({ name, help, registers, ...options }),
  }
}
