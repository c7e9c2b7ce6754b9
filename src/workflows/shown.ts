import type { SearchAttributePair } from '@temporalio/common'
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow'

/** Decides how a workflow writes its search attributes. */
export type Begun = {
  /**
   * Its start carries its search attributes, so that only what changes is upserted: each upsert is an event and a write of
   * the visibility store. Absent for workflows of earlier builds, which upsert all of them.
   */
  startShown?: true
}

/** Upserts the search attributes by which an operator finds a workflow. */
export function show({ startShown }: Begun, attributes: SearchAttributePair[]): void {
  const { typedSearchAttributes: known } = workflowInfo()
  const news = startShown ? attributes.filter(({ key, value }) => known.get(key) !== value) : attributes
  if (news.length > 0) upsertSearchAttributes(news)
}
