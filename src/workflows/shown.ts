import type { SearchAttributePair } from '@temporalio/common'
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow'

/** What decides how a life tells what it shows. */
export type Begun = {
  /**
   * Its start carries its search attributes, so that only what changes is upserted: each upsert is an event and a write of
   * the visibility store. Absent of lives that began before, which upsert all of them.
   */
  startShown?: true
}

/** Tells the attributes by which an operator finds a life. */
export function show({ startShown }: Begun, attributes: SearchAttributePair[]): void {
  const { typedSearchAttributes: known } = workflowInfo()
  const news = startShown ? attributes.filter(({ key, value }) => known.get(key) !== value) : attributes
  if (news.length > 0) upsertSearchAttributes(news)
}
