import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import type { CHARGE_WORKFLOW, ChargeWorkflowSignature } from '../../src/workflows/contracts/charges.ts'
import type { DISPUTE_WORKFLOW, DisputeWorkflowSignature } from '../../src/workflows/contracts/disputes.ts'
import type {
  RECONCILIATION_WORKFLOW,
  ReconciliationWorkflowSignature,
} from '../../src/workflows/contracts/maintenance.ts'
import type {
  PIX_KEY_REMOVAL_WORKFLOW,
  PIX_KEY_WORKFLOW,
  PixKeyRemovalWorkflowSignature,
  PixKeyWorkflowSignature,
  VERIFICATION_CODE_WORKFLOW,
  VerificationCodeWorkflowSignature,
} from '../../src/workflows/contracts/pix-keys.ts'
import type { REFUND_WORKFLOW, RefundWorkflowSignature } from '../../src/workflows/contracts/refunds.ts'
import type { TRANSFER_WORKFLOW, TransferWorkflowSignature } from '../../src/workflows/contracts/transfers.ts'
import type {
  KEEP_UNMATCHED_WORKFLOW,
  KeepUnmatchedWorkflowSignature,
} from '../../src/workflows/contracts/unmatched.ts'
import type {
  DELIVERY_WORKFLOW,
  DeliveryWorkflowSignature,
  EVENT_REPLAY_WORKFLOW,
  EventReplayWorkflowSignature,
} from '../../src/workflows/contracts/webhooks.ts'
import * as workflows from '../../src/workflows/index.ts'

/** Clients start workflows by the type names and signatures of their contracts: both must be those of the implementations. */

const CONTRACTS = join(import.meta.dirname, '../../src/workflows/contracts')

test('every type name of a contract is that of a workflow, and every workflow has one', async () => {
  const modules: object[] = await Promise.all(
    (await readdir(CONTRACTS)).map(file => import(join(CONTRACTS, file))),
  )
  const names = modules.flatMap(module =>
    Object.entries(module)
      .filter(([name]) => name.endsWith('_WORKFLOW'))
      .map(([, typeName]) => typeName),
  )
  expect(names.sort()).toEqual(Object.keys(workflows).sort())
})

/** The type checker compares them: an implementation takes what its signature promises to clients. */
type Signatures = {
  [CHARGE_WORKFLOW]: ChargeWorkflowSignature
  [TRANSFER_WORKFLOW]: TransferWorkflowSignature
  [REFUND_WORKFLOW]: RefundWorkflowSignature
  [KEEP_UNMATCHED_WORKFLOW]: KeepUnmatchedWorkflowSignature
  [DISPUTE_WORKFLOW]: DisputeWorkflowSignature
  [PIX_KEY_WORKFLOW]: PixKeyWorkflowSignature
  [PIX_KEY_REMOVAL_WORKFLOW]: PixKeyRemovalWorkflowSignature
  [VERIFICATION_CODE_WORKFLOW]: VerificationCodeWorkflowSignature
  [DELIVERY_WORKFLOW]: DeliveryWorkflowSignature
  [EVENT_REPLAY_WORKFLOW]: EventReplayWorkflowSignature
  [RECONCILIATION_WORKFLOW]: ReconciliationWorkflowSignature
}

test('every signature of a contract is that of the workflow', () => {
  const implementations: Signatures = workflows
  expect(Object.values(implementations).every(implementation => typeof implementation === 'function')).toBe(
    true,
  )
})
