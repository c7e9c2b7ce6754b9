import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { acceptInvitation } from '../../src/admin/invitations.ts'
import { endPause, startPause } from '../../src/admin/pauses.ts'
import { MERCHANT_ROUTES } from '../../src/api/merchant-routes.ts'
import { dashboardRoutes } from '../../src/dashboard/routes.ts'
import { Connection } from '../../src/db/entities/connection.ts'
import { recordDifferences } from '../../src/db/repositories/differences.ts'
import { createProviderRegistry } from '../../src/providers/registry.ts'
import { pollUntil } from '../api/support/poll-until.ts'
import {
  type BrowserUsers,
  clickAndLoad,
  describeWithBrowser,
  expectAccessible,
  followMenu,
  sayIn,
  setUpBrowserOver,
  WAYS,
} from '../browser/support/browser.ts'
import { submitSignIn } from '../browser/support/sign-in.ts'
import { type ApiFixture, openApiFixture } from '../http/support/api-fixture.ts'
import { insertDispute } from '../http/support/dispute-rows.ts'
import { openSimulatorFixture, SHOP, type SimulatorFixture } from '../simulator/support/simulator-fixture.ts'

/** Counts the lists of a page that scroll sideways. */
const WIDE_LISTS =
  "[...document.querySelectorAll('main .scroll')].filter(one => one.scrollWidth > one.clientWidth).length"

/** The jobs of an operator that need no workflow, on a phone in Portuguese and at a desk in English. */

describeWithBrowser('the jobs of an operator', () => {
  let fixture: ApiFixture
  let simulator: SimulatorFixture
  let people: BrowserUsers

  setUpBrowserOver(openSite, async ({ site, people: users }) => {
    ;({ fixture, simulator } = site)
    people = users
    // A worker that has reached its providers, and goes on doing so.
    await sql(
      `insert into provider_reach (worker, origin, probed_at, reached_at)
       values ('w', 'https://p', now() + interval '1 hour', now() + interval '1 hour')`,
    )
  })

  const sql = <Row extends object>(query: string, values: unknown[] = []): Promise<Row[]> =>
    fixture.orm.em.fork().execute(query, values)
  const emailOf = async (page: Page) => (await page.locator('.whose a').textContent())!.match(/\S+@\S+/)![0]
  const actionsOn = async (subject: string) =>
    (
      await sql<Record<'action' | 'reason' | 'actor', string>>(
        'select action, reason, actor from operator_action where subject = ? order by at',
        [subject],
      )
    ).map(({ action, reason, actor }) => [action, reason, actor])
  const uuidIn = (page: Page) => /[0-9a-f-]{36}/.exec(page.url())![0]

  test.each(WAYS)(
    'what goes wrong is on the first page, each with the page that acts %s',
    async (_, look, _value) => {
      const say = sayIn(look)
      const page = await people.signIn(null, look)
      await page.clock.install()
      await page.goto('/dashboard/operator')
      await page.getByText(say('Tudo em ordem.', 'Everything is in order.'), { exact: true }).waitFor()
      await page.evaluate('void (window.remembered = true)')

      const wrong = await makeProblems()
      await page.clock.fastForward(11_000)
      await page
        .getByRole('heading', { name: say('Requer um operador agora: 6', 'Needs an operator now: 6') })
        .waitFor()
      expect(await page.evaluate('window.remembered')).toBe(true)
      const announced = say('O que requer um operador mudou.', 'What needs an operator has changed.')
      await page.locator('#announced', { hasText: announced }).waitFor({ state: 'attached' })
      await expectAccessible(page)

      const amount = say('R\\$\\s10,00', 'R\\$\\s?10\\.00')
      const lines: [name: string, value: string, runbook: string, shown: string][] = [
        [say('Disjuntores abertos', 'Open circuit breakers'), '1', 'provider-down', wrong.connection],
        [
          say('Resultado desconhecido mais antigo', 'Oldest unknown outcome'),
          say('3 horas, R\\$\\s1,00', '3 hours, R\\$\\s?1\\.00'),
          'unknown-outcome',
          wrong.transfer,
        ],
        [
          say('Diferenças em relação aos extratos dos provedores', 'Differences from provider statements'),
          `1 \\(${say('Valor diferente', 'Value differs')}\\)`,
          'statement-differs',
          wrong.endToEnd,
        ],
        [
          say('Notificação mais antiga não processada', 'Oldest unprocessed notification'),
          say('20 minutos', '20 minutes'),
          'provider-notifications-not-processed',
          wrong.name,
        ],
        [say('Suspensões em vigor', 'Pauses in effect'), '1', 'pause-in-effect', wrong.account],
        [
          say('Contestações que vencem em até 24 horas', 'Disputes that expire within 24 hours'),
          `1, ${amount}`,
          'dispute-expires-soon',
          wrong.dispute,
        ],
      ]
      for (const [name, value, runbook, shown] of lines) {
        const line = page.locator('#live .note.bad li', { hasText: name })
        expect(await line.innerText()).toMatch(new RegExp(`^${name}: ${value}`))
        await clickAndLoad(line.getByRole('link', { name, exact: true }))
        expect([name, (await page.locator('main').innerHTML()).includes(shown)]).toEqual([name, true])
        // No column is outside of its list, on a phone neither.
        expect([name, await page.evaluate(WIDE_LISTS)]).toEqual([name, 0])
        await page.goto('/dashboard/operator')
        await clickAndLoad(line.getByRole('link', { name: runbook, exact: true }))
        const heading = runbook.replaceAll(/(?:^|-)(\w)/g, (_match, letter: string) => letter.toUpperCase())
        await page.getByRole('heading', { level: 1, name: heading }).waitFor()
        await page.goto('/dashboard/operator')
      }

      await wrong.repair()
      await page.clock.fastForward(11_000)
      await page
        .getByText(say('Tudo em ordem.', 'Everything is in order.'), { exact: true })
        .first()
        .waitFor()
    },
  )

  test.each(WAYS)(
    'an account is found, opened with a reason and read, and its forms are refused %s',
    async (_, look, _value) => {
      const say = sayIn(look)
      const account = await fixture.insertAccount()
      const name = `Padaria ${randomUUID().slice(0, 8)}`
      await sql('update account set name = ? where uuid = ?', [name, account])
      const charge = await fixture.insertCharge(await fixture.insertConnection(account))
      // Final: the page of a pending one asks again every two seconds, and would be refused once the account is closed.
      await sql(`update charge set state = 'failed' where uuid = ?`, [charge])
      const page = await people.signIn(null, look)
      await followMenu(page, say('Contas', 'Accounts'))
      const search = async (text: string) => {
        const main = page.locator('main')
        await main.getByRole('searchbox').fill(text)
        await clickAndLoad(main.getByRole('button', { name: say('Buscar', 'Search'), exact: true }))
      }
      await search(name.slice(0, 12).toUpperCase())
      await page.getByRole('row', { name: new RegExp(name) }).waitFor()
      await search(charge)
      const accountRow = page.locator('article', { hasText: charge })
      expect(await accountRow.innerText()).toContain(name)
      await accountRow.getByText(say('Consultar como o lojista', 'View as the merchant')).first().click()
      const openButton = accountRow.getByRole('button', {
        name: say('Consultar como o lojista', 'View as the merchant'),
      })
      // The reason is required: the browser does not send the form.
      await openButton.click()
      expect(await page.evaluate('document.activeElement.name')).toBe('reason')
      await accountRow.getByLabel(say('Motivo', 'Reason')).fill('o lojista ligou')
      await clickAndLoad(openButton)
      expect(new URL(page.url()).pathname).toBe(`/dashboard/charges/${charge}`)
      const reading = page.getByText(
        say('Você está consultando esta conta.', 'You are reading this account.'),
      )
      await reading.waitFor()
      await expectAccessible(page)
      await followMenu(page, say('Cobranças', 'Charges'))
      await reading.waitFor()
      await clickAndLoad(page.getByRole('row', { name: new RegExp(charge.slice(0, 8)) }).getByRole('link'))
      // Of the forms of its merchant there is none, and one that is sent all the same is refused.
      const forms = await page.evaluate<string[]>(
        `[...document.querySelectorAll('main form')].map(one => one.getAttribute('action'))`,
      )
      expect(forms).toEqual(['/dashboard/operator/accounts/close'])
      const form = {
        _csrf: await page.locator('input[name="_csrf"]').first().inputValue(),
        name: 'mine',
        mode: 'test',
      }
      expect((await page.request.post('/dashboard/tokens', { form })).status()).toBe(404)
      expect(await sql('select uuid from token where account_uuid = ?', [account])).toEqual([])

      await clickAndLoad(page.getByRole('button', { name: say('Encerrar a consulta', 'Stop viewing') }))
      expect((await page.goto(`/dashboard/charges/${charge}`))!.status()).toBe(404)
      await page.goto('/dashboard/operator')
      await followMenu(page, say('Ações de operadores', 'Operator actions'))
      const viewed = say('Consultou uma conta', 'Viewed an account')
      const email = await emailOf(page)
      const row = page.getByRole('row', {
        name: new RegExp(`${email}.*${viewed}.*${account}.*o lojista ligou`),
      })
      await row.waitFor()
    },
  )

  test.each(WAYS)(
    'an account is created, connected, priced, blocked and unblocked %s',
    async (_, look, _value) => {
      const say = sayIn(look)
      const shop = `shop-${look.viewport.width}`
      const secret = randomUUID()
      await simulator.control.putAccount(shop, {
        ...SHOP,
        client_id: shop,
        client_secret: secret,
        dialect: 'woovi',
        balance: 100,
        keys: [`${shop}@trilho.test`],
      })
      const page = await people.signIn(null, look)
      const email = await emailOf(page)
      await followMenu(page, say('Contas', 'Accounts'))
      await clickAndLoad(page.getByRole('link', { name: say('Nova conta', 'New account') }))
      const name = `Mercado ${randomUUID().slice(0, 8)}`
      await page.getByLabel(say('Nome do titular', 'Name of the holder')).fill(name)
      const document = page.getByLabel(say('CPF ou CNPJ', 'CPF or CNPJ'))
      await document.fill('11.222.333/0001-80')
      await page.getByLabel(say('Motivo', 'Reason')).fill('contrato 12')
      const create = page.getByRole('button', { name: say('Criar a conta', 'Create the account') })
      await clickAndLoad(create)
      expect(await page.evaluate('document.activeElement.id')).toBe('in-document')
      await document.fill('11.222.333/0001-81')
      await clickAndLoad(create)
      await page.getByText(say('A conta foi criada.', 'The account was created.')).waitFor()
      const account = uuidIn(page)

      await clickAndLoad(page.getByRole('link', { name: say('Conectar um provedor', 'Connect a provider') }))
      await clickAndLoad(page.locator('main').getByRole('link', { name: /^Woovi/ }))
      await page.getByLabel(say('Provedor', 'Provider'), { exact: true }).selectOption('PROVIDER_A')
      const baseUrl = simulator.facts.providers.PROVIDER_A.base_url
      await page.getByLabel(say('Endereço da API', 'Address of the API')).fill(baseUrl)
      const appId = (password: string) => Buffer.from(`${shop}:${password}`).toString('base64')
      const credential = page.getByLabel('AppID')
      await credential.fill(appId('of another'))
      await page.getByLabel(say('Conta no provedor', 'Account at the provider')).fill(shop)
      for (const [field, value] of [
        ['account_agency', '1'],
        ['account_number', '12345-6'],
        ['bank_name', 'Banco'],
        ['bank_ispb', '54811417'],
        ['collection_key', `${shop}@trilho.test`],
        ['reason', 'contrato 12'],
      ])
        await page.locator(`#in-${field}`).fill(value!)
      await page.locator('#in-simulated').selectOption('yes')
      const connect = page.getByRole('button', { name: say('Testar e conectar', 'Test and connect') })
      await clickAndLoad(connect)
      const refusal = say(
        'não identificam a conta no provedor',
        'do not identify the account at the provider',
      )
      await page.locator('#in-app_id-wrong', { hasText: refusal }).waitFor()
      expect(await page.evaluate('document.activeElement.id')).toBe('in-app_id')
      expect(await page.content()).not.toContain(appId('of another'))
      expect(await page.locator('#in-base_url').inputValue()).toBe(baseUrl)
      expect(await sql('select uuid from connection where account_uuid = ?', [account])).toEqual([])
      await expectAccessible(page)
      await credential.fill(appId(secret))
      await clickAndLoad(connect)
      await page.getByText(say('O provedor foi conectado', 'The provider was connected')).waitFor()
      expect(await page.content()).not.toContain(appId(secret))
      const connection = uuidIn(page)
      const stored = await sql<{ status: string; sealed_credentials: string; cents: number }>(
        `select c.status, c.sealed_credentials, b.cents::int from connection c
       join balance b on b.account_uuid = c.account_uuid and b.bucket = 'available' where c.uuid = ?`,
        [connection],
      )
      expect(stored).toMatchObject([{ status: 'ACTIVE', cents: 10_000 }])
      expect(fixture.dependencies.sealer.open(stored[0]!.sealed_credentials)).toEqual({
        app_id: appId(secret),
      })

      const fees = page.locator('form[action$="/connections/fees"]')
      await fees
        .getByLabel(say('Cobrança, paga pelo pagador', 'Charge, paid by the payer'))
        .fill(say('0,10 + 0,99%', '0.10 + 0.99%'))
      await fees.getByLabel(say('Motivo', 'Reason')).fill('nova tabela')
      const changeFees = page.getByRole('button', { name: say('Alterar as tarifas', 'Change the fees') })
      await clickAndLoad(changeFees)
      await page.getByText(say('→ R$ 0,10 + 0,99%', '→ R$0.10 + 0.99%')).waitFor()
      await expectAccessible(page)
      await clickAndLoad(changeFees)
      await page.getByText(say('A conexão foi alterada.', 'The connection was changed.')).waitFor()
      expect(await actionsOn(`connection/${connection}`)).toEqual([
        ['connection_add', 'contrato 12', email],
        ['connection_fees', 'nova tabela', email],
      ])
      await clickAndLoad(page.getByRole('link', { name: `← ${name}` }))
      await page.getByText(say('R$ 0,10 + 0,99%', 'R$0.10 + 0.99%')).waitFor()

      const owner = `${randomUUID()}@merchant.test`
      const addOwner = say('Convidar um proprietário', 'Invite an owner')
      await page.locator('summary', { hasText: addOwner }).click()
      const users = page.locator('form[action$="/accounts/users"]')
      await users.getByLabel('E-mail').fill(owner)
      await users.getByLabel(say('Motivo', 'Reason')).fill('contrato 12')
      await clickAndLoad(users.getByRole('button', { name: addOwner }))
      const link = await page.locator('#link').inputValue()
      await expectAccessible(page)
      await clickAndLoad(page.getByRole('link', { name: `← ${name}` }))
      expect(await page.content()).not.toContain(link)
      const password = 'staple staple staple'
      const invitation = { token: link.split('/').at(-1)!, name: 'Ana', password }
      await acceptInvitation(fixture.orm.em.fork(), invitation)
      await page.reload()
      expect(await page.locator('main').innerText()).toContain(owner)

      const policies = page.locator('form[action$="/accounts/policy"]')
      await policies
        .getByLabel(say('Pagamentos sem cobrança', 'Payments without a charge'))
        .selectOption('keep')
      await policies.getByLabel(say('Motivo', 'Reason')).fill('a pedido do lojista')
      await clickAndLoad(
        page.getByRole('button', { name: say('Revisar as políticas', 'Review the policies') }),
      )
      await clickAndLoad(
        page.getByRole('button', { name: say('Alterar as políticas', 'Change the policies') }),
      )
      await page.getByText(say('A conta foi alterada.', 'The account was changed.')).waitFor()
      expect(await sql('select unmatched_policy from account where uuid = ?', [account])).toEqual([
        { unmatched_policy: 'keep' },
      ])

      const token = await fixture.insertToken({ accountUuid: account })
      const issue = async () =>
        (await fixture.call('POST', '/api/v1/payments', { token, body: { value: 1, type: 'PIX' } })).body.code
      const change = async (button: string, state: string, reason: string) => {
        const form = page.locator('form[action$="/accounts/status"]')
        await form.getByLabel(say('Motivo', 'Reason')).fill(reason)
        await clickAndLoad(form.getByRole('button'))
        await expectAccessible(page)
        await clickAndLoad(page.getByRole('button', { name: `${button} ${name}`, exact: true }))
        await page.locator('.title .status', { hasText: state }).waitFor()
      }
      const merchant = await people.sits(look)
      await submitSignIn(merchant, { email: owner, password })
      await change(say('Bloquear', 'Block'), say('Bloqueada', 'Blocked'), 'suspeita de fraude')
      await pollUntil(issue, code => code === 'account_blocked')
      await merchant.goto('/dashboard/charges')
      expect(merchant.url()).toContain('/dashboard/sign-in')
      await change(say('Desbloquear', 'Unblock'), say('Ativa', 'Active'), 'esclarecido')
      await pollUntil(issue, code => code !== 'account_blocked')
      await submitSignIn(merchant, { email: owner, password })

      const history = [
        ['account_open', 'contrato 12', email],
        ['account_policy', 'a pedido do lojista', email],
        ['account_block', 'suspeita de fraude', email],
        ['account_unblock', 'esclarecido', email],
      ]
      expect(await actionsOn(`account/${account}`)).toEqual(history)
      const shown = await page.locator('ol.attempts q').allInnerTexts()
      expect(shown.map(text => text.replaceAll(/["“”]/g, ''))).toEqual(
        history.map(([, reason]) => reason).reverse(),
      )
    },
  )

  test.each(WAYS)(
    'a difference is closed with its cause while another operator has it open %s',
    async (_, look, _value) => {
      const say = sayIn(look)
      const connection = await fixture.insertConnection(await fixture.insertAccount())
      const { endToEnd } = await insertDifference(connection)
      const [ana, bia] = [await people.signIn(null, look), await people.signIn(null, look)]
      for (const page of [ana, bia]) {
        await followMenu(page, say('Conciliação', 'Reconciliation'))
        const row = page.getByRole('row', { name: new RegExp(endToEnd) })
        await clickAndLoad(
          row.getByRole('link', { name: new RegExp(say('^Valor diferente', '^Value differs')) }),
        )
      }
      const uuid = uuidIn(ana)
      const fill = async (page: Page, as: string, reason: string) => {
        await page.getByLabel(say('Encerrar como', 'Close as')).selectOption(as)
        await page.getByLabel(say('Motivo', 'Reason')).fill(reason)
      }
      await fill(bia, 'resolved', 'protocolo 81')
      const review = say('Revisar o encerramento', 'Review the closing')
      await clickAndLoad(bia.getByRole('button', { name: review }))
      expect(await bia.evaluate('document.activeElement.id')).toBe('in-cause')
      const cause = say('O provedor corrigiu o extrato', 'The provider corrected its statement')
      await bia.getByLabel(say('Causa (se resolvida)', 'Cause (if resolved)')).selectOption({ label: cause })
      await clickAndLoad(bia.getByRole('button', { name: review }))
      await expectAccessible(bia)
      const close = say('^Encerrar R\\$\\s2,50 como resolvida$', '^Close R\\$\\s?2\\.50 as resolved$')
      await clickAndLoad(bia.getByRole('button', { name: new RegExp(close) }))
      await bia.getByText(say('A diferença foi encerrada.', 'The difference was closed.')).waitFor()
      expect(await bia.getByText(endToEnd).count()).toBe(0)

      await fill(ana, 'accepted', 'dois reais e cinquenta')
      await clickAndLoad(ana.getByRole('button', { name: review }))
      const alert = await ana.getByRole('alert').innerText()
      for (const text of [await emailOf(bia), cause, 'protocolo 81']) expect(alert).toContain(text)
      await ana
        .getByRole('heading', { name: say('Reabrir a diferença', 'Open the difference again') })
        .waitFor()
      // What was to be the reason of another closing is not the reason to open it again.
      expect(await ana.getByLabel(say('Motivo', 'Reason')).inputValue()).toBe('')
      await expectAccessible(ana)
      expect(await actionsOn(`difference/${uuid}`)).toEqual([
        ['difference_resolved', 'protocolo 81', await emailOf(bia)],
      ])
      await ana.goto('/dashboard/operator/differences?state=closed')
      expect(await ana.getByRole('row', { name: new RegExp(endToEnd) }).innerText()).toContain('protocolo 81')
    },
  )

  test('no page reported an error', () => {
    expect(people.complaints).toEqual([])
  })

  async function openSite() {
    const stack = await openSimulatorFixture()
    const { base_url: origin } = stack.facts.providers.PROVIDER_A
    const openings: { close(): Promise<void> }[] = [stack]
    const server = await openApiFixture([
      ...MERCHANT_ROUTES,
      (router, dependencies) => {
        const providers = createProviderRegistry({
          openCredentials: dependencies.sealer.open,
          timeoutMs: 10_000,
          ca: stack.ca,
        })
        openings.push(providers)
        dashboardRoutes(router, { ...dependencies, providers })
      },
    ])
    return {
      fixture: server,
      simulator: stack,
      url: server.server.url,
      orm: server.orm,
      origin,
      async close() {
        await server.close()
        await Promise.all(openings.map(one => one.close()))
      },
    }
  }

  /** Records a difference of R$ 2.50 between a provider's statement and the ledger. */
  async function insertDifference(connection: string) {
    const em = fixture.orm.em.fork()
    const { providerAccountUuid } = await em.findOneOrFail(Connection, connection)
    const endToEnd = `E09089356${randomUUID().replaceAll('-', '').slice(0, 23)}`
    const at = new Date().toISOString()
    const movement = { endToEnd, direction: 'IN' as const }
    await recordDifferences(em, {
      providerAccountUuid,
      covers: () => true,
      remaining: [
        {
          kind: 'value_differs',
          ...movement,
          entry: { ...movement, cents: 1_250, at, reference: null },
          ours: { ...movement, cents: 1_000, settledAt: at, status: 'SETTLED' },
        },
      ],
    })
    return { endToEnd }
  }

  /** Makes what an operator must see: one of each kind, all of one account. `repair` ends them. */
  async function makeProblems() {
    const account = await fixture.insertAccount()
    const name = `Loja ${account.slice(0, 8)}`
    await sql('update account set name = ? where uuid = ?', [name, account])
    const connection = await fixture.insertConnection(account)
    const transfer = await fixture.insertTransfer(connection)
    await sql(`update transfer set state = 'sending', held_cents = value_cents where uuid = ?`, [transfer])
    await sql(
      `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, state,
         unknown_since, next_check_at, created_at, updated_at)
       select gen_random_uuid(), 'transfer', ?, uuid, provider_account_uuid, 0, 'unknown', now() - interval '3 hours',
         now(), now(), now() from connection where uuid = ?`,
      [transfer, connection],
    )
    await sql('insert into circuit_breaker (connection_uuid, opened_at) values (?, now())', [connection])
    const notification = randomUUID()
    await sql(
      `insert into provider_notification (uuid, connection_uuid, kind, end_to_end, body, request_id, received_at)
       values (?, ?, 'payment', 'E1', ?, 'r', now() - interval '20 minutes')`,
      [notification, connection, '{}'],
    )
    const order = { target: { accountUuid: account }, actor: 'suite', reason: 'a drill' }
    await startPause(fixture.orm.em.fork(), { ...order, reach: 'money_out' })
    const createdAt = new Date(Date.now() - (7 * 24 - 5) * 3_600_000).toISOString()
    const dispute = await insertDispute(fixture, { connection, createdAt })
    const { endToEnd } = await insertDifference(connection)
    return {
      account,
      name,
      connection,
      transfer,
      dispute,
      endToEnd,
      async repair() {
        await sql(`update attempt set state = 'rejected', unknown_since = null where subject_uuid = ?`, [
          transfer,
        ])
        await sql('delete from circuit_breaker where connection_uuid = ?', [connection])
        await sql('update provider_notification set routed_at = now() where uuid = ?', [notification])
        await endPause(fixture.orm.em.fork(), order)
        await sql(`update dispute set state = 'rejected' where uuid = ?`, [dispute])
        await sql('update difference set settled_at = now() where end_to_end = ?', [endToEnd])
      },
    }
  }
})
