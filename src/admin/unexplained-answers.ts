import type { EntityManager } from '../db/client/orm.ts'
import { type ActionAuthor, runAuditedAction } from '../db/repositories/audited-actions.ts'
import { findUnexplainedAnswer } from '../db/repositories/unexplained-answers.ts'
import type { Sealer } from '../security/sealing.ts'

/** Opens a sealed answer of a provider that no published document explains; undefined if there is none. */
export function openUnexplainedAnswer(
  em: EntityManager,
  sealer: Pick<Sealer, 'open'>,
  order: ActionAuthor & { uuid: string },
): Promise<{ body: string } | undefined> {
  const { uuid } = order
  return runAuditedAction<{ body: string } | undefined>(em.fork(), {
    by: order,
    action: 'open_answer',
    subject: `answer/${uuid}`,
    hasChanged: answer => answer !== undefined,
    async work(tx) {
      const answer = await findUnexplainedAnswer(tx, uuid)
      if (!answer) return undefined
      const { sealed_body, ...row } = answer
      return { ...row, body: sealer.open<string>(sealed_body) }
    },
  })
}
