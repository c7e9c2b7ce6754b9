import { uuidSchema } from '../../../contract/shared/fields.ts'
import { type ActSubject, findActSubjects } from '../../../db/repositories/act-subjects.ts'
import { PROVIDER_NAMES } from '../../../domain/providers/provider.ts'
import { withQuery } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import { ACCOUNTS_PATH, OPERATOR_PATH } from './operator-form.ts'

/** What an act of an operator is about, for a page: its name, and the operators' page that shows it. */
type DescribedSubject = { name: string; path: string | null }

type Words = Pick<PageContext, 't' | 'f'>

/** Names the subjects of acts, by subject; absent are those that have no row, or none any more. */
export async function describeActSubjects(
  { em, ...words }: Words & Pick<PageContext, 'em'>,
  subjects: string[],
): Promise<Map<string, DescribedSubject>> {
  const keys = [...new Set(subjects)].flatMap(subject => {
    const [kind = '', id] = subject.split('/')
    const uuid = uuidSchema.safeParse(id).data
    return uuid ? [{ subject, kind, uuid }] : []
  })
  const rows = await findActSubjects(em.fork(), keys)
  const described = new Map<string, DescribedSubject>([['all', { name: words.t('pause.all'), path: null }]])
  for (const provider of PROVIDER_NAMES)
    described.set(`provider/${provider}`, {
      name: words.t(`provider.${provider}`),
      path: withQuery(`${OPERATOR_PATH}/providers`, { provider }),
    })
  for (const { subject, kind, uuid } of keys) {
    const row = rows.find(one => one.kind === kind && one.uuid === uuid)
    if (row) described.set(subject, describeSubject(words, row))
  }
  return described
}

function describeSubject({ t, f }: Words, row: ActSubject): DescribedSubject {
  const { kind, uuid, accountUuid, accountName, provider, cents, email } = row
  const named = (...parts: (string | null)[]) => parts.filter(Boolean).join(', ')
  const payment = (noun: string) => named(`${t(`noun.${noun}`)} ${f.money(cents ?? 0)}`, accountName)
  const found = withQuery(ACCOUNTS_PATH, { q: uuid })
  switch (kind) {
    case 'account':
      return { name: accountName ?? uuid, path: `${ACCOUNTS_PATH}/${uuid}` }
    case 'connection':
      return {
        name: named(accountName, provider && t(`provider.${provider}`)),
        path: `${ACCOUNTS_PATH}/connections/${uuid}`,
      }
    case 'transfer':
    case 'refund':
    case 'return':
      return { name: payment(kind), path: `${OPERATOR_PATH}/unknown/${kind}/${uuid}` }
    case 'charge':
      return { name: payment('charge'), path: found }
    case 'med':
      return { name: payment('dispute'), path: found }
    case 'endpoint':
      return { name: named(t('noun.webhook'), accountName), path: found }
    case 'difference':
      return {
        name: named(t('watch.difference'), provider && t(`provider.${provider}`)),
        path: `${OPERATOR_PATH}/differences/${uuid}`,
      }
    default:
      return { name: email ?? uuid, path: accountUuid && `${ACCOUNTS_PATH}/${accountUuid}` }
  }
}
