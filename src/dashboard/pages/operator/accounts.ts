import { z } from 'zod'
import { openAccountPages } from '../../../admin/accounts.ts'
import { uuidSchema } from '../../../contract/shared/fields.ts'
import { runInTransaction } from '../../../db/client/transaction.ts'
import { findAccounts, findByIdentifier } from '../../../db/repositories/account-search.ts'
import { setOpenedAccount } from '../../../db/repositories/dashboard-sessions.ts'
import { fail } from '../../../http/api-error.ts'
import { cleanSearchText, parseFormFields, reasonSchema } from '../../http/form.ts'
import { createPage, redirect } from '../../http/page.ts'
import type { PageContext } from '../../http/page-context.ts'
import type { DashboardRouter } from '../../http/router.ts'
import { ACCOUNTS_PATH } from './account.ts'

const MAX_SEARCH_LENGTH = 140

/** Pages of a merchant to which an account may be opened. */
const PAGE_OF = {
  account: () => '/dashboard',
  charge: (uuid: string) => `/dashboard/charges/${uuid}`,
  transfer: (uuid: string) => `/dashboard/transfers/${uuid}`,
  dispute: (uuid: string) => `/dashboard/disputes/${uuid}`,
  webhook: (uuid: string) => `/dashboard/webhooks/${uuid}`,
}

const openFormSchema = z.object({
  account: uuidSchema,
  noun: z.enum(['account', 'charge', 'transfer', 'dispute', 'webhook']).default('account'),
  uuid: uuidSchema.optional(),
  reason: reasonSchema,
})

/**
 * Registers the operators' search over all accounts, and the opening of one: its merchant's pages can then be read in
 * this session, and its forms not sent. Each opening needs a reason and is recorded.
 */
export function registerAccountPages({ get, post }: DashboardRouter): void {
  get('operator', ACCOUNTS_PATH, showAccounts)

  post('operator', `${ACCOUNTS_PATH}/open`, {
    async handle({ em, form, session: { sessionHash, user } }) {
      const { account: accountUuid, noun, uuid, reason } = parseFormFields(openFormSchema, form)
      const act = { actor: user.email, reason, sessionHash, accountUuid }
      if (!(await openAccountPages(em.fork(), act))) fail('not_found')
      return redirect(PAGE_OF[noun](uuid ?? accountUuid))
    },
    renderForm: showAccounts,
  })

  post('operator', `${ACCOUNTS_PATH}/close`, {
    async handle({ em, session: { sessionHash } }) {
      await runInTransaction(em, tx => setOpenedAccount(tx, { sessionHash, accountUuid: null }))
      return redirect(ACCOUNTS_PATH)
    },
    renderForm: showAccounts,
  })
}

async function showAccounts({ em, query, form }: PageContext<'operator'>) {
  const text = cleanSearchText(query.q ?? form.get('q') ?? '', MAX_SEARCH_LENGTH)
  const [rows, accounts] = await Promise.all([
    text === '' ? [] : findByIdentifier(em.fork(), text),
    findAccounts(em.fork(), text),
  ])
  return createPage('operator/accounts', { text, rows, accounts }, ACCOUNTS_PATH)
}
