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

/** Gauge of every process, which measures it at each scrape. */
export const CLOCK_OFFSET_GAUGE = {
  name: 'trilho_clock_offset_seconds',
  help: 'Seconds by which the clock of this process is ahead of the clock of PostgreSQL, exact to half the time of a query.',
} as const

/** Computes the offset of this clock from the one that read `databaseSeconds` (since 1970) between two readings. */
export function computeClockOffsetS(
  databaseSeconds: number,
  { askedAtMs, answeredAtMs }: { askedAtMs: number; answeredAtMs: number },
): number {
  return (askedAtMs + answeredAtMs) / 2_000 - databaseSeconds
}
