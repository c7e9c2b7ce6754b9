import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { endPause, startPause } from '../../../src/admin/pauses.ts'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { getFormats } from '../../../src/dashboard/views/formats.ts'
import type { PauseReach } from '../../../src/db/entities/pause.ts'
import type { PauseTarget } from '../../../src/db/repositories/pauses.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, unescapeHtml } from '../support/browser.ts'
import { createFullAccount, PASSWORD } from '../support/full-account.ts'

/** What pages say of the state of things: of an endpoint, a transfer, a dispute, a pause, and of payments without a charge. */

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
let merchant: ReturnType<typeof createBrowser>
let operator: ReturnType<typeof createBrowser>
beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  ours = await createFullAccount(fixture)
  merchant = createBrowser(fixture)
  await merchant.signIn(ours.email, PASSWORD)
  await addUser(fixture.orm.em.fork(), { email: 'op@trilho.test', password: PASSWORD, accountUuid: null })
  operator = createBrowser(fixture)
  await operator.signIn('op@trilho.test', PASSWORD)
})
afterAll(() => fixture.close())

const read = async (path: string, browser = merchant) => (await browser.get(path)).text

describe('a webhook', () => {
  test('that fails is not called active in the list', async () => {
    const readStatus = async () =>
      /data-label="Situação"><span class="status \w+">([^<]+)</.exec(await read('/dashboard/webhooks'))?.[1]
    expect(await readStatus()).toBe('Ativo')
    await ours.sql('update webhook set failing_since = now() where uuid = ?', [ours.webhook])
    expect(await readStatus()).toBe('Com falha')
    expect(await read('/dashboard/webhooks')).toContain('Com falha desde <time')
  })

  test('has deliveries that name the object of their event, with its amount and reference', async () => {
    const body = JSON.stringify({ uuid: ours.charge, value: 1234.56, external_ref: 'pedido-77' })
    await ours.sql('update event set body = ? where uuid = ?', [body, ours.event])
    const text = await read(`/dashboard/webhooks/${ours.webhook}`)
    expect(text).toMatch(
      new RegExp(`<a href="/dashboard/charges/${ours.charge}">R\\$\\s1\\.234,56<.*<span>pedido-77</span>`),
    )
  })
})

test('the list of transfers shows phone keys as people read them, and why a transfer failed', async () => {
  const failed = await fixture.insertTransfer(ours.connection)
  const failure = JSON.stringify({ code: 'insufficient_balance', message: 'not enough' })
  await ours.sql(
    `update transfer set state = 'failed', failure = ?, pix_key = '+5511987654321' where uuid = ?`,
    [...[failure, failed]],
  )
  const text = await read('/dashboard/transfers?mode=test')
  const row = text.slice(text.indexOf(`id="${failed}"`)).split('</tr>')[0]!
  expect(row).toContain('+55 (11) 98765-4321')
  expect(row).toMatch(/<span class="status failed">[^<]*<\/span>\s*<span class="line">[^<]{10,}<\/span>/)
  expect(row).toContain('<span class="line">Saldo insuficiente</span>')
  await ours.sql(`update transfer set failure = '{"code":"AC03","message":"no account"}' where uuid = ?`, [
    failed,
  ])
  const byRail = await read('/dashboard/transfers?mode=test')
  expect(byRail).toContain('<span class="line">A conta de quem recebe não existe</span>')
  expect(await read(`/dashboard/transfers/${failed}`)).toContain('+55 (11) 98765-4321')
})

test('the table of disputes marks a deadline of today as their summary does', async () => {
  await ours.sql(`update dispute set due_at = now() + interval '45 minutes' where uuid = ?`, [ours.dispute])
  const text = await read('/dashboard/disputes?mode=test')
  expect(text.match(/<span class="status failed">(Responder )?[^<]*4[45] minutos/g)).toHaveLength(2)
})

test('payments without a charge: an empty list of open ones says nothing of the others, and leads to them', async () => {
  await ours.sql(
    `update movement set disposition = 'returned' where account_uuid = ? and disposition is not null`,
    [ours.account],
  )
  const text = await read('/dashboard/unmatched?mode=test')
  expect(text).toContain('Nenhum pagamento em aberto')
  expect(text).not.toMatch(/Todo Pix recebido corresponde|automaticamente/)
  expect(text).toMatch(/href="\/dashboard\/unmatched\?mode=test&#38;outcome=all"|outcome=all"/)
})

test.each(['disputes', 'unmatched'])(
  'the list of %s refreshes itself: nobody of the account begins one',
  async name => {
    const [, live] = /<div id="live" hx-get="([^"]+)"/.exec(await read(`/dashboard/${name}?mode=test`))!
    expect((await merchant.get(unescapeHtml(live!), { 'HX-Request': 'true' })).status).toBe(204)
  },
)

test('an address that has no page says so', async () => {
  expect(await read('/dashboard/nowhere')).toContain('<h1>Página não encontrada</h1>')
})

describe('a pause', () => {
  const pause = (target: PauseTarget, reach: PauseReach = 'money_out') =>
    startPause(fixture.orm.em.fork(), {
      target,
      reach,
      actor: 'op@trilho.test',
      reason: 'Incidente',
    })

  test('of a connection is named on every page of its merchant, and on every page of an operator', async () => {
    expect(await read('/dashboard/providers')).not.toContain('Transferências suspensas')
    await pause({ connectionUuid: ours.connection })
    expect(await read('/dashboard/providers')).toContain(
      '<span class="status failed">Transferências suspensas</span>',
    )
    for (const path of ['', '/charges', '/transfers/new?mode=test'])
      expect(await read(`/dashboard${path}`)).toContain(
        '<p class="note"><strong>Transferências suspensas</strong>: Provedor A.',
      )
    for (const path of ['', '/accounts', '/unknown', '/differences'])
      expect(await read(`/dashboard/operator${path}`, operator)).toMatch(
        /<strong>Saídas suspensas<\/strong>: [^<]+, Provedor A\./,
      )
  })

  test('of another connection is named beside it, by what it stops', async () => {
    const other = await fixture.insertConnection(ours.account, { provider: 'PROVIDER_C' })
    await pause({ connectionUuid: other }, 'everything')
    const text = await read('/dashboard/charges')
    expect(text).toContain('<p class="note"><strong>Operações suspensas</strong>: Provedor C.')
    expect(text).toContain('<p class="note"><strong>Transferências suspensas</strong>: Provedor A.')
  })

  test('of another account is on no page of a merchant', async () => {
    const other = await fixture.insertConnection(await fixture.insertAccount(), { provider: 'PROVIDER_B' })
    await pause({ connectionUuid: other })
    expect(await read('/dashboard/charges')).not.toContain('Provedor B.')
    expect(await read('/dashboard/operator', operator)).toContain('Outras suspensões em vigor: 2.')
  })

  test('of a provider is on the pages of the merchants who have it', async () => {
    await pause({ provider: 'PROVIDER_D' })
    expect(await read('/dashboard/charges')).not.toContain('Provedor D.')
    await pause({ provider: 'PROVIDER_C' })
    expect(await read('/dashboard/charges')).toContain(
      '<p class="note"><strong>Transferências suspensas</strong>: Provedor A, Provedor C.',
    )
    expect(await read('/dashboard/operator', operator)).toContain('Outras suspensões em vigor: 4.')
    for (const provider of ['PROVIDER_C', 'PROVIDER_D'] as const)
      await endPause(fixture.orm.em.fork(), { target: { provider }, actor: 'op@trilho.test', reason: 'Fim' })
  })

  test('of the service is on every page of a merchant', async () => {
    await pause('all')
    for (const path of ['', '/transfers', '/transfers/new?mode=test'])
      expect(await read(`/dashboard${path}`)).toContain(
        '<p class="note bad"><strong>Transferências suspensas</strong>: Transferências e devoluções novas',
      )
    // What one of a connection stops besides is named too, and only that.
    expect((await read('/dashboard/charges')).match(/suspensas<\/strong>: \S+ \S+/g)).toEqual([
      'suspensas</strong>: Transferências e',
      'suspensas</strong>: Provedor C.',
    ])
    expect(await read('/dashboard/operator/acts', operator)).toMatch(
      /<strong>Saídas suspensas<\/strong>: Transferências e devoluções novas.*Outras suspensões em vigor: 3\./,
    )
  })

  test('is chosen by what it stops', async () => {
    const text = await read('/dashboard/operator/providers', operator)
    expect(text).toContain('<option value="money_out">Saídas (transferências e devoluções)</option>')
  })
})

test('a length of time is never rounded to a day that it does not have, and now is no count of seconds', () => {
  const { age, span, roundMoney } = getFormats('pt-BR')
  const now = new Date('2026-11-30T12:00:00Z')
  const after = (hours: number) => new Date(now.getTime() + hours * 3_600_000)
  expect([age(after(47), now), age(after(49), now), age(after(-1), now)]).toEqual([
    ...['em 47 horas', 'em 2 dias', 'há 1 hora'],
  ])
  expect([age(now, now), span(86_400), span(172_800)]).toEqual(['agora', '24 horas', '2 dias'])
  expect(roundMoney(800_000).replace(/\s/g, ' ')).toBe('R$ 8 mil')
})
