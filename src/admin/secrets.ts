import type { EntityManager } from '../db/client/orm.ts'
import { type ActionAuthor, runAuditedAction } from '../db/repositories/audited-actions.ts'
import { type ResealResult, resealColumns, updateConnectionKeys } from '../db/repositories/sealed-columns.ts'
import { findUnexplainedAnswer } from '../db/repositories/unexplained-answers.ts'
import type { Sealer } from '../security/sealing.ts'

/**
 * Encrypts everything that is stored under an older key again with the newest one, in small transactions, and yields the
 * result of each column. A row that changes at the same time is left to the next run; one that does not open, whichever key
 * it names, is counted as unopened. Inputs of workflows are not changed: an older key must be kept until the last workflow
 * that started with it has ended. The action is recorded first: the batches are committed one by one, and may be interrupted.
 */
export async function* resealSecrets(
  em: EntityManager,
  order: ActionAuthor & { sealer: Sealer },
): AsyncGenerator<ResealResult> {
  const { sealer } = order
  const { keyId } = sealer
  await runAuditedAction(em, { by: order, action: 'reseal', subject: `key/${keyId}` })
  yield* resealColumns(em, { keyId, reseal: text => resealText(sealer, text) })
  await updateConnectionKeys(em, keyId)
}

/** Reseals every sealed part of a text; a part sealed with the newest key stays unchanged. Null where a part does not open. */
function resealText(sealer: Sealer, text: string): string | null {
  try {
    return text.replaceAll(/sealed\.\w+\.[\w-]+/g, sealed => {
      const value = sealer.open(sealed)
      return sealed.startsWith(`sealed.${sealer.keyId}.`) ? sealed : sealer.seal(value)
    })
  } catch {
    return null
  }
}

/** Opens a sealed answer of a provider that no published document explains; undefined if there is none. */
export function openUnexplainedAnswer(
  em: EntityManager,
  sealer: Pick<Sealer, 'open'>,
  order: ActionAuthor & { uuid: string },
): Promise<{ body: string } | undefined> {
  const { uuid } = order
  return runAuditedAction<{ body: string } | undefined>(em, {
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
