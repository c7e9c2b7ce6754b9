import { decideTransferByOperator } from '../admin/approvals.ts'
import { createConfiguredCodeReader } from '../code-reader/reader.ts'
import type { ApprovalVerdict } from '../domain/approvals/approval.ts'
import { type OperatorCommand, parseUuid, withWorkflowClient } from './command-context.ts'

/** What a verdict of the command line does. The operator is compared with who ordered the transfer, by name. */
const DESCRIPTIONS: Record<ApprovalVerdict, string> = {
  approve:
    'approve a transfer that waits for approvals; refused where --by, or a token that --by has made, ordered it',
  reject: 'reject a transfer that waits for approvals: it is cancelled; the reason is shown to the merchant',
}

/** Registers the commands by which an operator decides about transfers that wait for approvals. */
export function registerApprovalCommands(trilho: OperatorCommand) {
  const transfer = trilho.command('transfer')
  for (const verdict of ['approve', 'reject'] as const)
    transfer
      .auditedCommand(verdict)
      .argument('<transfer>', 'its uuid', parseUuid)
      .description(DESCRIPTIONS[verdict])
      .run(({ em, config, operator }, uuid: string) =>
        withWorkflowClient(config, async temporal => {
          const codeReader = createConfiguredCodeReader(config)
          const isFound = await decideTransferByOperator(
            em,
            { temporal, codeReader },
            { ...operator, uuid, verdict },
          )
          if (!isFound) throw new Error(`there is no transfer ${uuid}`)
        }),
      )
}
