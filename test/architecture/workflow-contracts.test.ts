import { expect, test } from '@jest/globals'
import type {
  RECONCILIATION_WORKFLOW,
  ReconciliationWorkflowSignature,
} from '../../src/workflows/contracts/maintenance.ts'
import * as schedules from '../../src/workflows/contracts/maintenance.ts'
import { REBUILD_WORKFLOW, type RebuildInput } from '../../src/workflows/contracts/rebuild.ts'
import { WORKFLOWS, type WorkflowInputs } from '../../src/workflows/contracts/workflows.ts'
import * as workflows from '../../src/workflows/index.ts'

/** Clients start workflows by the type names and inputs of their contracts: both must be those of the implementations. */

test('every type name of a contract is that of a workflow, and every workflow has one', () => {
  const types = Object.values(WORKFLOWS).map(({ type }) => type)
  const names = [...types, ...Object.values(schedules), REBUILD_WORKFLOW]
  expect(names.sort()).toEqual(Object.keys(workflows).sort())
})

/** The type checker compares them: an implementation takes what its contract promises to clients. */
type Signatures = {
  [Noun in keyof WorkflowInputs as (typeof WORKFLOWS)[Noun]['type']]: (
    input: WorkflowInputs[Noun],
  ) => Promise<unknown>
} & { [RECONCILIATION_WORKFLOW]: ReconciliationWorkflowSignature } & {
  [REBUILD_WORKFLOW]: (input: RebuildInput) => Promise<string>
}

test('every workflow takes the input of its contract', () => {
  const implementations: Signatures = workflows
  expect(Object.values(implementations).every(implementation => typeof implementation === 'function')).toBe(
    true,
  )
})
