import { z } from 'zod'
import { listRecentAttempts } from '../../../db/repositories/provider-health.ts'
import type { AttemptOperation } from '../../../domain/providers/attempt.ts'
import { PROVIDER_NAMES } from '../../../domain/providers/provider.ts'
import { createPage } from '../../http/page.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { getShownAttemptState } from '../attempt-state.ts'
import { OPERATOR_PATH } from './operator-form.ts'

const ATTEMPTS_PATH = `${OPERATOR_PATH}/providers/attempts`

/** A filter that names nothing is left out. */
const filterSchema = z.object({
  provider: z.enum(PROVIDER_NAMES).optional().catch(undefined),
  mode: z.enum(['live', 'test']).optional().catch(undefined),
  operation: z
    .enum(['issue', 'transfer', 'refund', 'return', 'create_key', 'delete_key', 'create_recurrence'])
    .optional()
    .catch(undefined),
  outcome: z.enum(['failed', 'all']).catch('failed'),
})

/** Id of the workflow of an order, by the kind of its attempts (`WORKFLOWS`). */
const WORKFLOW_IDS: Record<AttemptOperation, (uuid: string) => string> = {
  issue: uuid => `charge/${uuid}`,
  transfer: uuid => `transfer/${uuid}`,
  refund: uuid => `refund/${uuid}`,
  return: uuid => `return/${uuid}`,
  create_key: uuid => `pix-key/${uuid}`,
  delete_key: uuid => `pix-key/${uuid}/removal`,
  create_recurrence: uuid => `recurrence/${uuid}`,
}

/** Registers the page of the latest attempts of all accounts: those without a useful answer, or all. */
export function registerProviderAttemptPage({ get }: DashboardRouter): void {
  get('operator', ATTEMPTS_PATH, async ({ em, query }) => {
    const { mode, outcome, ...filter } = filterSchema.parse(query)
    const attempts = await listRecentAttempts(em.fork(), {
      ...filter,
      ...(mode && { isSimulated: mode === 'test' }),
      isFailed: outcome === 'failed',
    })
    const rows = attempts.map(attempt => ({
      ...attempt,
      shownState: getShownAttemptState(attempt),
      workflowId: WORKFLOW_IDS[attempt.operation](attempt.subjectUuid),
    }))
    return createPage('operator/attempts', { rows, ...filter, outcome }, ATTEMPTS_PATH)
  })
}
