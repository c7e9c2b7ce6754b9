import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser } from '../support/browser.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'

/** What a merchant reads of the reconciliation with the providers. */

const END_TO_END = 'E99999004202611201200aB3dE5fG7hI'
const PATH = '/dashboard/reconciliations'

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  ours = await createFullAccount(fixture)
  await ours.sql(
    `insert into balance_check (provider_account_uuid, provider_cents, ledger_cents, moving_cents, checked_at, differs_since)
     select provider_account_uuid, 9000, 10000, 500, '2026-11-20T12:00:00Z', '2026-11-20T12:00:00Z' from connection where uuid = ?
     on conflict (provider_account_uuid) do update set (provider_cents, ledger_cents, moving_cents, checked_at, differs_since)
       = (excluded.provider_cents, excluded.ledger_cents, excluded.moving_cents, excluded.checked_at, excluded.differs_since)`,
    [ours.connection],
  )
  await ours.sql('update difference set end_to_end = ? where uuid = ?', [END_TO_END, ours.difference])
})
afterAll(() => fixture?.close())

test.each([
  ['pt-BR', ['Conciliação', 'Diverge', 'desde 20/11/2026, 09:00', 'R$ 90,00', 'R$ 100,00'], 'Com a operação'],
  [
    'en',
    ['Reconciliation', 'Differs', 'since 20/11/2026, 09:00', 'R$90.00', 'R$100.00'],
    'With the operators',
  ],
])(
  'in %s a provider has both balances, and each difference says who ends it',
  async (language, texts, owner) => {
    const merchant = createBrowser(fixture, { language })
    await merchant.signIn(ours.email, PASSWORD)
    const readPage = async (path: string) => (await merchant.get(path)).text.replaceAll('\u00a0', ' ')
    const list = await readPage(PATH)
    for (const text of texts) expect(list).toContain(text)
    expect(list).toContain(`href="${PATH}/${ours.connection}"`)
    const page = await readPage(`${PATH}/${ours.connection}`)
    expect(page).toContain(owner)
    expect(page).toContain(`/dashboard/search?mode=test&amp;q=${END_TO_END}`)
    expect(page).not.toContain('<form method="post" action="/dashboard/reconciliations')
    // An ended difference is in another part of the list.
    await ours.sql('update difference set settled_at = now() where uuid = ?', [ours.difference])
    expect(await readPage(`${PATH}/${ours.connection}?status=OPEN`)).not.toContain(owner)
    expect(await readPage(`${PATH}/${ours.connection}?status=SETTLED,CLOSED`)).toContain(
      `/dashboard/search?mode=test&amp;q=${END_TO_END}`,
    )
    await ours.sql('update difference set settled_at = null where uuid = ?', [ours.difference])
  },
)
