import type { EntityManager } from '../db/client/orm.ts'
import { OperatorAction } from '../db/entities/operator-action.ts'
import { NOTE_ACTION, runAuditedAction, toActionAuthor } from '../db/repositories/audited-actions.ts'
import type { UserAuthor } from './account-users.ts'

/** Writes a note of an account's user about an object (`charge/<uuid>`). The same text by the same user is written once. */
export function writeNote(
  em: EntityManager,
  { author, subject, text }: { author: UserAuthor; subject: string; text: string },
): Promise<boolean> {
  const by = { ...toActionAuthor(author), reason: text }
  return runAuditedAction(em, {
    by,
    action: 'note',
    subject,
    work: async tx =>
      (await tx.count(OperatorAction, { action: NOTE_ACTION, subject, actor: by.actor, reason: text })) === 0,
  })
}
