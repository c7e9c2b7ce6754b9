import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import { createListCollector, type ParsedPage } from './answer-parsing.ts'

/** Period of a list, both ends included, as ISO 8601 UTC. */
export type ListPeriod = { from: string; to: string }

/** Requests that are left for one or several lists. */
export type RequestBudget = { requests: number }

export type ListResult<Item> = { kind: 'found' } & ParsedPage<Item>

/** Builds the answer for a list that does not end within so many requests. */
export function buildTooManyPages(maxRequests: number): NoAnswerResult {
  return {
    kind: 'no_answer',
    code: 'too_many_pages',
    message: `The list does not end within ${maxRequests} requests`,
  }
}

type HalvesReader<Item> = {
  keyOf: (item: Item) => string
  read: (half: ListPeriod) => Promise<ListResult<Item> | NoAnswerResult>
  /** Answer where the period is too short to be halved. */
  tooManyPages: NoAnswerResult
}

/** Reads a list in two halves of its period. Both include the instant between them; an item in both counts once. */
export async function readHalves<Item>(
  { from, to }: ListPeriod,
  { keyOf, read, tooManyPages }: HalvesReader<Item>,
): Promise<ListResult<Item> | NoAnswerResult> {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  if (end - start < 2) return tooManyPages
  const middle = new Date(Math.floor((start + end) / 2)).toISOString()
  const collector = createListCollector(keyOf)
  for (const half of [
    { from, to: middle },
    { from: middle, to },
  ]) {
    const outcome = await read(half)
    if (outcome.kind === 'no_answer') return outcome
    collector.addPage(outcome)
  }
  return collector.getList()
}
