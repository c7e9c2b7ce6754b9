import { OperatorAction } from '../../../db/entities/operator-action.ts'
import { fail } from '../../../http/api-error.ts'
import { phrasesOf } from '../../http/confirmation.ts'
import type { PageContext } from '../../http/page-context.ts'
import { listFactChanges, type ShownFact } from '../../http/shown-facts.ts'
import type { OperatorVisit } from './operator-form.ts'

/** What a form of new credentials depends on: that no operator has replaced them since its page was shown. */

/** Reads who replaced the credentials of a connection last. */
export async function readCredentialsFacts(
  { em, ...shown }: Pick<PageContext, 'em' | 'language' | 'timeZone'>,
  connectionUuid: string,
): Promise<ShownFact[]> {
  const [latest] = await em.fork().find(
    OperatorAction,
    {
      subject: `connection/${connectionUuid}`,
      action: { $in: ['connection_credentials', 'connection_credentials_withdraw'] },
    },
    { orderBy: { at: 'desc' }, limit: 1 },
  )
  const { f } = phrasesOf(shown)
  const value = latest ? `${latest.actor}, ${f.plainTime(latest.at)}` : '–'
  return [{ name: 'connections.lastReplaced', value }]
}

/** Fails with 409 and who has replaced the credentials since the page was shown. */
export async function requireUnchangedCredentials(
  visit: OperatorVisit,
  connectionUuid: string,
): Promise<void> {
  const { form, language } = visit
  const facts = await readCredentialsFacts(visit, connectionUuid)
  const [change] = listFactChanges(form.get('version'), language, facts) ?? []
  if (change) fail('act_stale', { currentStateText: `${phrasesOf(visit).t(change.name)}: ${change.value}` })
}
