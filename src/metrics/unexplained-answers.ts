import type { Registry } from 'prom-client'
import { createMetricBuilders } from './metric-builders.ts'

/** Providers choose these names, so a process counts at most this many separately, and the rest together. */
const MAX_NAMES = 100

/** Counts the answers of providers that no published document explains (docs/production.md, "Unexplained answers"). */
export function createUnexplainedCounter(registry: Registry) {
  const counter = createMetricBuilders(registry).counter(
    'trilho_provider_unexplained_total',
    'Answers, list items and values of providers that their published documents do not explain.',
    ['provider', 'operation', 'kind', 'name'],
  )
  const names = new Set<string>()
  return (answer: { provider: string; operation: string; kind: string; name: string }): void => {
    const isKnown = names.has(answer.name) || names.size < MAX_NAMES
    if (isKnown) names.add(answer.name)
    counter.inc({ ...answer, name: isKnown ? answer.name : 'other' })
  }
}
