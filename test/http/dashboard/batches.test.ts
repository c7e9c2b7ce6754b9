import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Client } from '@temporalio/client'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { insertApprovalRequest } from '../../../src/db/repositories/approvals.ts'
import { NO_LIMITS } from '../../../src/domain/limits/account-limits.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf } from '../support/browser.ts'
import { PASSWORD } from '../support/full-account.ts'

/** A table of transfers in the dashboard: it is checked before anything is stored, and what was checked is what is sent. */

const PATH = '/dashboard/transfers/batches'
const TABLE = '\uFEFFvalor;chave_pix;referencia\r\n1.234,56;ana@example.com;a\r\n10;bia@example.com;b\r\n'

let fixture: ApiFixture
let accountUuid: string
let finance: ReturnType<typeof createBrowser>
let viewer: ReturnType<typeof createBrowser>
const woken: string[] = []
beforeAll(async () => {
  const workflow = {
    signalWithStart: async (_: string, { workflowId }: { workflowId: string }) => woken.push(workflowId),
  }
  const client = { workflow, withDeadline: <T>(_: number, call: () => Promise<T>) => call() }
  fixture = await openApiFixture([dashboardRoutes], {}, async () => client as unknown as Client)
  accountUuid = await fixture.insertAccount()
  const connectionUuid = await fixture.insertConnection(accountUuid)
  await fixture.replaceDefaultProviders(accountUuid, [connectionUuid])
  const signIn = async (email: string, role: 'finance' | 'viewer') => {
    await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid, role })
    const browser = createBrowser(fixture, { language: 'en' })
    await browser.signIn(email, PASSWORD)
    return browser
  }
  finance = await signIn('fin@loja.example', 'finance')
  viewer = await signIn('view@loja.example', 'viewer')
})
afterAll(() => fixture?.close())
beforeEach(() => {
  woken.length = 0
})

const sql = <T extends object>(text: string, values: unknown[] = []) =>
  fixture.orm.em.fork().execute<T[]>(text, values)
const countBatches = async () =>
  (
    await fixture.orm.em
      .fork()
      .execute('select count(*)::int as n from transfer_batch where account_uuid = ?', [accountUuid])
  )[0]!.n

async function upload(table: string | Uint8Array<ArrayBuffer>, fields: Record<string, string> = {}) {
  const page = await finance.get(`${PATH}/new?mode=test`)
  const form = new FormData()
  const all = {
    _csrf: hiddenFieldOf(page.text, '_csrf')!,
    once: randomUUID(),
    send_mode: 'EACH',
    on_short_balance: 'FAIL',
    ...fields,
  }
  for (const [name, value] of Object.entries(all)) form.append(name, value)
  form.append('file', new Blob([table], { type: 'text/csv' }), 'folha.csv')
  return finance.call('POST', `${PATH}/new?mode=test`, {
    multipart: form,
    headers: { origin: fixture.server.url },
  })
}
const checkedOf = (text: string) => /name="checked" value="([^"]+)"/.exec(text)?.[1]

test('a table is checked first, and sent once by the button of its preview', async () => {
  const before = await countBatches()
  const once = randomUUID()
  const preview = await upload(TABLE, { once, name: 'Folha' })
  expect([preview.status, await countBatches(), woken]).toEqual([200, before, []])
  expect(preview.text).toContain('Items: 2 · Total: R$')
  const checked = checkedOf(preview.text)!
  const sent = await upload(TABLE, { once, name: 'Folha', checked })
  expect(sent.status).toBe(303)
  const path = sent.headers.get('location')!
  expect(path).toMatch(new RegExp(`^${PATH}/[0-9a-f-]{36}$`))
  expect(woken).toEqual([`batch/${path.split('/').at(-1)}`])
  expect((await upload(TABLE, { once, name: 'Folha', checked })).headers.get('location')).toBe(path)
  expect(await countBatches()).toBe(before + 1)
  const page = await viewer.get(path)
  expect(page.text).toContain('bia@example.com')
  expect(page.text).not.toContain('/cancel"')
  expect((await finance.get(path)).text).toContain('/cancel"')
  expect((await finance.get(`${PATH}?mode=test`)).text).toContain('Folha')
  const acts = await fixture.orm.em
    .fork()
    .execute(`select actor, subject from operator_action where action = 'batch_create'`)
  expect(acts).toEqual([{ actor: 'fin@loja.example', subject: `batch/${path.split('/').at(-1)}` }])
})

test('another table than was checked is checked again, and nothing is stored', async () => {
  const before = await countBatches()
  const checked = checkedOf((await upload(TABLE)).text)!
  const again = await upload(`${TABLE}99;caio@example.com;c\r\n`, { checked })
  expect([again.status, await countBatches()]).toEqual([200, before])
  expect(checkedOf(again.text)).not.toBe(checked)
  expect(again.text).toContain('Items: 3 · Total: R$')
})

test('a table of bank accounts shows whom it pays, before and after it is sent', async () => {
  const table =
    'valor;referencia;documento;nome;banco;agencia;conta;tipo_conta\r\n5;a;52998224725;Maria Silva;260;0001;1234567;corrente\r\n'
  const once = randomUUID()
  const preview = await upload(table, { once })
  expect(preview.text).toContain('Maria Silva <small class="line">260 · 0001 · 1234567 · checking</small>')
  const sent = await upload(table, { once, checked: checkedOf(preview.text)! })
  expect((await viewer.get(sent.headers.get('location')!)).text).toContain(
    'Maria Silva <small class="line">18236120 · 0001 · 1234567 · checking</small>',
  )
  const wrong = await upload(table.replace('1234567', '12345-6'))
  expect(wrong.text).toContain('must be 1 to 20 digits, with the check digit and without a hyphen')
})

test('the errors of a table are listed by line and column', async () => {
  const before = await countBatches()
  const { status, text } = await upload(
    'valor;chave_pix;referencia\n1e21;ana@example.com;a\n1;=1+1;b\n1;ana@example.com;a\n1;nobody;d\n',
  )
  expect([status, checkedOf(text), await countBatches()]).toEqual([200, undefined, before])
  for (const message of [
    'must be an amount in reais, such as 1234,56',
    'must not be a formula',
    'must be unique in the batch',
  ])
    expect(text).toContain(message)
  expect([...text.matchAll(/<th scope="row" class="number">(\d+)</g)].map(([, line]) => line)).toEqual([
    '2',
    '3',
    '4',
    '5',
  ])
})

test('a file that is no UTF-8 is refused where the preview is, and says how to save it', async () => {
  const { status, text } = await upload(
    Uint8Array.from(Buffer.from('valor;chave_pix;referência\n', 'latin1')),
  )
  expect([status, checkedOf(text)]).toEqual([200, undefined])
  expect(text.slice(text.indexOf('id="preview"'))).toContain('must be UTF-8')
})

test('the preview says which approvals the sum waits for, and what is left of the day', async () => {
  const limits = {
    ...NO_LIMITS,
    perDayCents: 100_000,
    approvals: { aboveCents: 50_000, count: 1, expiresHours: 24 },
  }
  const stored = 'insert into account_limits (account_uuid, limits, version) values (?, ?::jsonb, 1)'
  await sql(stored, [accountUuid, JSON.stringify(limits)])
  const { text } = await upload(TABLE).finally(() =>
    sql('delete from account_limits where account_uuid = ?', [accountUuid]),
  )
  expect(text).toMatch(/R\$\s?1,000\.00 is left of the limit of the day/)
  expect(text).toMatch(/Above R\$\s?500\.00 the batch waits for the approval of one other person/)
  expect(text).toContain('No other user of the account may approve now')
  expect((await upload(TABLE)).text).not.toContain('is left of the limit')
})

test.each([
  ['approve', 'batch_approve', {}],
  ['reject', 'batch_reject', { reason: 'wrong month' }],
])('a DRAFT batch of another person waits for this one, who may %s it', async (verdict, action, fields) => {
  const [maker] = await sql<{ uuid: string }>(`select uuid from app_user where email = 'view@loja.example'`)
  const uuid = randomUUID()
  await sql(
    `with ordered as (
       insert into transfer_batch (uuid, account_uuid, is_simulated, candidates, state, mode, on_short_balance, item_count, value_cents,
         history, user_uuid, request_id, fingerprint, created_at, updated_at)
       select ?, account_uuid, true, array[uuid], 'draft', 'EACH', 'FAIL', 1, 4200, '[{"status": "DRAFT", "created_at": "2026-11-29T12:00:00.000000Z"}]',
         ?, 'r', 'f', now(), now() from connection where account_uuid = ? returning uuid
     ) insert into transfer_batch_item (batch_uuid, line, transfer_uuid, value_cents, external_ref, details)
     select uuid, 1, gen_random_uuid(), 4200, 'a', '{"pixKey": "ana@example.com"}' from ordered`,
    [uuid, maker!.uuid, accountUuid],
  )
  await runInTransaction(fixture.orm, em =>
    insertApprovalRequest(em, {
      subject: 'batch',
      subjectUuid: uuid,
      accountUuid,
      author: { userUuid: maker!.uuid },
      needed: 1,
      requestedAt: new Date(),
      expiresAt: new Date(Date.now() + 3_600_000),
      callout: null,
    }),
  )
  const inbox = await finance.get('/dashboard/approvals')
  expect(inbox.text).toContain(`${PATH}/${uuid}`)
  expect(inbox.text).toContain('42.00')
  const on = `${PATH}/${uuid}`
  const { status, headers } = await finance.confirm(`${on}/${verdict}`, fields as Record<string, string>, {
    on,
  })
  expect([status, headers.get('location')]).toEqual([303, `${on}?done=${action}`])
  const decision = await sql('select decision from approval_request where subject_uuid = ?', [uuid])
  expect(decision).toEqual([{ decision: verdict === 'approve' ? 'approved' : 'rejected' }])
  const acts = await sql('select actor from operator_action where action = ? and subject = ?', [
    action,
    `batch/${uuid}`,
  ])
  expect(acts).toEqual([{ actor: 'fin@loja.example' }])
})

test('who may not send transfers has no form', async () => {
  expect((await viewer.get(`${PATH}/new`)).status).toBe(403)
  expect((await viewer.get(`${PATH}?mode=test`)).text).not.toContain(`${PATH}/new`)
})
