import { chargeMachine } from '../../../src/domain/charges/charge.ts'
import { disputeMachine } from '../../../src/domain/disputes/dispute.ts'
import { refundMachine } from '../../../src/domain/refunds/refund.ts'
import { transferMachine } from '../../../src/domain/transfers/transfer.ts'
import { batchMachine } from '../../../src/domain/transfers/transfer-batch.ts'
import { WORKFLOWS } from '../../../src/workflows/contracts/workflows.ts'
import type { FinalState, Violation } from '../final-state.ts'

/** No row without a workflow, no workflow without a row, and none unfinished once every provider answers again. */
export function checkWorkflows(world: FinalState): Violation[] {
  const open = findOpenRows(world)
  const running = new Set(world.runningWorkflowIds)
  const awaited = new Set(open.map(row => row.expectedWorkflowId))
  return [
    ...open
      .filter(row => row.expectedWorkflowId === null || !running.has(row.expectedWorkflowId))
      .map(({ row, state }) => ({ rule: 'row_without_workflow', where: row, detail: `is ${state}` })),
    ...world.runningWorkflowIds
      .filter(id => !awaited.has(id))
      .map(id => ({ rule: 'workflow_without_row', where: id, detail: 'runs for nothing' })),
    ...open.map(({ row, state }) => ({ rule: 'not_over', where: row, detail: `is ${state}` })),
    ...world.failedReplays.map(({ workflowId, error }) => ({
      rule: 'history_does_not_replay',
      where: workflowId,
      detail: error,
    })),
    ...world.unroutedNotifications.map(uuid => ({
      rule: 'notification_not_routed',
      where: `notification ${uuid}`,
      detail: 'no workflow processed it',
    })),
    ...world.undisclosedPayloads
      .filter(({ status }) => status !== 'closed')
      .map(({ attempt, status }) => ({
        rule: 'undisclosed_payload_payable',
        where: `attempt ${attempt}`,
        detail: `its provider says ${status} of an orphan payload`,
      })),
  ]
}

/** Every row that waits, and the workflow that must be running for it. */
function findOpenRows(
  world: FinalState,
): { row: string; expectedWorkflowId: string | null; state: string }[] {
  const { charges, transfers, batches, refunds, disputes: meds, movements, attempts, deliveries } = world
  return [
    ...charges
      .filter(({ state }) => !chargeMachine.isFinal(state))
      .map(({ uuid, state }) => ({
        row: `charge ${uuid}`,
        expectedWorkflowId: WORKFLOWS.charge.idOf(uuid),
        state,
      })),
    // A charge that is being refunded waits for its refund, which has its own workflow.
    ...charges
      .filter(({ uuid, state }) => state === 'refunding' && !refunds.some(isRunningRefundOf(uuid)))
      .map(({ uuid, state }) => ({ row: `charge ${uuid}`, expectedWorkflowId: null, state })),
    ...transfers
      .filter(({ state }) => !transferMachine.isFinal(state))
      .map(({ uuid, state }) => ({
        row: `transfer ${uuid}`,
        expectedWorkflowId: WORKFLOWS.transfer.idOf(uuid),
        state,
      })),
    ...batches
      .filter(({ state }) => !batchMachine.isFinal(state))
      .map(({ uuid, state }) => ({
        row: `batch ${uuid}`,
        expectedWorkflowId: WORKFLOWS.transfer_batch.idOf(uuid),
        state,
      })),
    ...refunds
      .filter(({ state }) => !refundMachine.isFinal(state))
      .map(({ uuid, state }) => ({
        row: `refund ${uuid}`,
        expectedWorkflowId: WORKFLOWS.refund.idOf(uuid),
        state,
      })),
    ...meds
      .filter(({ state }) => !disputeMachine.isFinal(state))
      .map(({ uuid, state }) => ({
        row: `dispute ${uuid}`,
        expectedWorkflowId: WORKFLOWS.dispute.idOf(uuid),
        state,
      })),
    ...movements
      .filter(({ disposition }) => disposition === 'held' || disposition === 'returning')
      .map(({ uuid, disposition }) => ({
        row: `movement ${uuid}`,
        expectedWorkflowId: WORKFLOWS.return.idOf(uuid),
        state: disposition!,
      })),
    ...attempts
      .filter(({ state }) => state === 'orphan')
      .map(({ uuid, state }) => ({
        row: `attempt ${uuid}`,
        expectedWorkflowId: WORKFLOWS.orphan.idOf(uuid),
        state,
      })),
    ...attempts
      .filter(({ operation, state }) => operation === 'issue' && state === 'calling')
      .map(({ uuid, subject, state }) => ({
        row: `attempt ${uuid}`,
        expectedWorkflowId: WORKFLOWS.charge.idOf(subject),
        state,
      })),
    ...deliveries
      .filter(({ status }) => status === 'PENDING')
      .map(({ uuid, status }) => ({
        row: `delivery ${uuid}`,
        expectedWorkflowId: WORKFLOWS.delivery.idOf(uuid),
        state: status,
      })),
  ]
}

function isRunningRefundOf(charge: string) {
  return (one: FinalState['refunds'][number]) => one.charge === charge && !refundMachine.isFinal(one.state)
}
