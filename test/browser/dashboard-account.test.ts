import { readFile } from 'node:fs/promises'
import { expect, test } from '@jest/globals'
import type { Locator, Page } from 'playwright-core'
import { createPayoutActions } from '../api/support/payout-actions.ts'
import { pollUntil } from '../api/support/poll-until.ts'
import type { TestStack } from '../api/support/test-stack.ts'
import { stayWithinDay } from '../support/day.ts'
import {
  type BrowserUsers,
  clickAndLoad,
  describeWithBrowser,
  expectAccessible,
  followMenu,
  sayIn,
  setUpBrowserSuite,
  WAYS,
} from './support/browser.ts'

/** What a merchant does with the account itself: its first steps, its API requests, its books, its unmatched payments. */

describeWithBrowser('the account of a merchant', () => {
  let stage: TestStack
  let people: BrowserUsers

  setUpBrowserSuite(suite => {
    ;({ stage, people } = suite)
  })

  /** Downloads the file of a link or button: its name, and its text. */
  async function download(leading: Locator) {
    const [file] = await Promise.all([leading.page().waitForEvent('download'), leading.click()])
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
  }

  async function openFilters(page: Page) {
    const filters = page.locator('details.filters')
    if ((await filters.getAttribute('open')) === null) await filters.locator('summary').click()
  }

  test.each(WAYS)('an empty account is led through its first steps %s', async (_, look, value) => {
    const say = sayIn(look)
    const account = await stage.createEmptyAccount()
    const page = await people.signIn(account, look)
    const steps = page.locator('#onboarding li')
    const step = (name: string) => steps.filter({ hasText: name })
    const overview = () => followMenu(page, say('Visão geral', 'Overview'))
    async function follow(name: string) {
      expect(await step(name).innerText()).toMatch(say('a fazer', 'to do'))
      await clickAndLoad(step(name).getByRole('link', { name }))
    }
    async function expectDone(name: string) {
      await overview()
      expect(await step(name).locator('.status').innerText()).toBe(say('feito', 'done'))
      expect(await step(name).getByRole('link').count()).toBe(0)
    }
    expect(await steps.count()).toBe(5)
    await expectAccessible(page)

    const connect = say('Conectar um provedor', 'Connect a provider')
    await follow(connect)
    await page.getByText(say('Nenhum provedor nesta conta', 'No provider in this account')).waitFor()
    const operators = say('O operador do serviço conecta o provedor', 'The operator of the service connects')
    await page.getByText(operators).waitFor()
    await overview()

    const createToken = say('Criar um token da API', 'Create an API token')
    await follow(createToken)
    const noToken = say('Crie abaixo o token com que', 'Create below the token by which')
    await page.getByText(noToken).waitFor()
    await page.getByLabel(say('Nome', 'Name')).fill('loja')
    await page.getByLabel(say('Ambiente', 'Environment')).selectOption('test')
    await page.getByRole('button', { name: say('Criar um token', 'Create a token') }).click()
    const token = await page.getByLabel('Token', { exact: true }).inputValue()
    await expectDone(createToken)

    await stage.connectProviders(account)
    await expectDone(connect)

    const charge = say('Gerar a primeira cobrança', 'Create the first charge')
    await follow(charge)
    await page.locator('#in-value').fill(value)
    await page.getByRole('button', { name: say('Gerar cobrança', 'Create charge') }).click()
    await page.locator('.payable .countdown time').waitFor()
    await clickAndLoad(page.getByRole('link', { name: say('Ver a cobrança', 'View the charge') }))
    await expectDone(charge)

    const invite = say('Convidar um usuário', 'Invite a user')
    await follow(invite)
    await page.getByLabel('E-mail').fill(`bia-${account}@loja.test`)
    await page.getByRole('button', { name: say('Criar o convite', 'Create the invitation') }).click()
    await page.getByLabel(say('Link do convite', 'Link of the invitation')).waitFor()
    await expectDone(invite)

    await follow(say('Receber o primeiro evento', 'Receive the first event'))
    const url = `${stage.local.inbox_url}/first-${account}`
    await page.getByLabel(say('Endereço', 'Address')).fill(url)
    await page.getByRole('button', { name: say('Cadastrar um webhook', 'Register a webhook') }).click()
    await clickAndLoad(page.getByRole('link', { name: url }))
    await page.getByRole('button', { name: say('Enviar um evento de teste', 'Send a test event') }).click()
    await page.locator('article.delivery').getByText('200', { exact: true }).waitFor()
    await overview()
    // Every required step is done: the list is gone.
    expect(await steps.count()).toBe(0)
    const { body } = await stage.api.withToken(token).get('/api/v1/payments')
    expect(body.data).toMatchObject([{ value: 12.5, status: 'PENDING' }])
  })

  test.each(WAYS)(
    'a request of a token is found, and leads to what it created %s',
    async (_, look, _value) => {
      const say = sayIn(look)
      const { uuid: accountUuid } = await stage.createMerchant()
      const [shop, other] = await Promise.all(
        ['loja', 'outro'].map(async name => stage.api.withToken(await stage.token({ accountUuid, name }))),
      )
      const page = await people.signIn(accountUuid, look)
      await followMenu(page, say('Requisições da API', 'API requests'))
      const none = say('Chame a API com um token desta conta', 'Call the API with a token of this account')
      await page.getByText(none).waitFor()
      const created = await shop!.createCharge({ value: 12.5 })
      await shop!.get('/api/v1/payments')
      await shop!.post('/api/v1/payments', { value: -1, type: 'PIX' })
      await other!.get(`/api/v1/payments/${created.uuid}`)
      const rows = page.locator('tbody tr')
      await rows.nth(3).waitFor()
      await expectAccessible(page)

      await openFilters(page)
      const choice = await page.locator('select[name="token_uuid"] option', { hasText: 'loja' }).textContent()
      await page.getByLabel(/^Token/).selectOption({ label: choice! })
      await page.getByLabel(say('Método', 'Method')).selectOption('POST')
      await page
        .getByLabel(say('Situação', 'Status'))
        .selectOption({ label: say('4xx: recusadas', '4xx: refused') })
      await clickAndLoad(page.getByRole('button', { name: say('Filtrar', 'Filter'), exact: true }))
      expect(await rows.count()).toBe(1)
      expect(await rows.innerText()).toMatch(/POST.*422.*validation_failed.*loja/s)
      await expectAccessible(page)

      await openFilters(page)
      await clickAndLoad(page.getByRole('link', { name: say('Limpar', 'Clear') }))
      await clickAndLoad(rows.getByRole('link', { name: 'outro' }))
      await clickAndLoad(
        page.getByRole('link', { name: say('Requisições deste token', 'Requests of this token') }),
      )
      expect(await rows.count()).toBe(1)
      const requestId = await rows.locator('td code').last().innerText()
      await openFilters(page)
      await page.getByLabel(say('Id da requisição', 'Request id')).fill(requestId)
      await clickAndLoad(page.getByRole('button', { name: say('Filtrar', 'Filter'), exact: true }))
      await clickAndLoad(rows.locator('th').getByRole('link'))
      expect(new URL(page.url()).pathname).toBe(`/dashboard/charges/${created.uuid}`)
      await page.getByRole('heading', { name: new RegExp(say('12,50', '12\\.50')) }).waitFor()
    },
  )

  test.each(WAYS)('the settlement of a day and a month, and the files in view %s', async (_, look, value) => {
    const say = sayIn(look)
    await stayWithinDay(100_000)
    const merchant = await stage.createMerchant()
    const payouts = createPayoutActions(stage)
    await payouts.createPaidCharge(merchant, { value: 12.5, external_ref: 'mesa 1' })
    await payouts.createPaidCharge(merchant, { value: 30, external_ref: 'mesa 2' })
    const page = await people.signIn(merchant.uuid, look)
    await followMenu(page, say('Fechamento', 'Settlement'))
    const csv = page.getByRole('link', { name: new RegExp(say('Baixar CSV', 'Download CSV')) })
    const sum = say('42,50', '42.50')
    const notOver = new RegExp(say('Em andamento', 'Not over yet'))
    // On a phone a day is a line that unfolds, not a row of the table.
    const isPhone = look.viewport.width < 640
    const running = isPhone
      ? page.locator('.days li').filter({ hasText: notOver })
      : page.getByRole('row', { name: notOver })
    const followRunning = async () => {
      if (isPhone) await running.locator('summary').click()
      await clickAndLoad(running.getByRole('link'))
    }
    expect(await running.innerText()).toContain(sum)
    await expectAccessible(page)
    const month = await download(csv)
    expect(month.name).toMatch(
      /^(fechamento-[\w-]+-\d{4}-\d\d-teste|settlement-[\w-]+-\d{4}-\d\d-test)\.csv$/,
    )
    expect(month.text.split('\r\n').filter(line => line.includes(sum))).toHaveLength(1)

    await clickAndLoad(page.getByRole('link', { name: say('Por mês', 'Per month') }))
    expect(await running.innerText()).toContain(sum)
    await expectAccessible(page)
    const year = await download(csv)
    expect(year.name).toMatch(/^(fechamento-[\w-]+-\d{4}-teste|settlement-[\w-]+-\d{4}-test)\.csv$/)
    expect(year.text.split('\r\n').filter(line => line.includes(sum))).toHaveLength(1)
    await followRunning()
    await followRunning()
    // The lines of that day, whose sum the report showed.
    const lines = page
      .getByRole('region', { name: say('Extrato', 'Statement'), exact: true })
      .locator('tbody tr:not(.group)')
    expect(await lines.count()).toBe(2)
    await expectAccessible(page)
    const ofx = await download(page.getByRole('button', { name: say('Baixar OFX', 'Download OFX') }))
    expect(ofx.text.match(/<TRNAMT>[\d.]+/g)?.toSorted()).toEqual(['<TRNAMT>12.50', '<TRNAMT>30.00'])

    await followMenu(page, say('Cobranças', 'Charges'))
    await openFilters(page)
    await page.getByLabel(say('Referência externa', 'External reference')).fill('mesa 1')
    await clickAndLoad(page.getByRole('button', { name: say('Filtrar', 'Filter'), exact: true }))
    const list = await download(csv)
    expect(list.name).toMatch(/^(cobrancas-[\w-]+-teste|charges-[\w-]+-test)\.csv$/)
    const [, ...charges] = list.text.trim().split('\r\n')
    expect(charges).toHaveLength(1)
    expect(charges[0]).toContain(`;${value};`)
    expect(charges[0]).toContain('mesa 1')
  })

  test.each(WAYS)(
    'a second payment of a charge is found, returned, from its list %s',
    async (_, look, value) => {
      const say = sayIn(look)
      const merchant = await stage.createMerchant()
      const page = await people.signIn(merchant.uuid, look)
      await followMenu(page, say('Pagamentos sem cobrança', 'Payments without a charge'))
      const none = say('Nenhum pagamento em aberto', 'No open payment')
      await page.getByText(none).waitFor()
      const payouts = createPayoutActions(stage)
      const charge = await payouts.createPaidCharge(merchant, { value: 12.5 })
      const second = await stage.simulator.pay({ payload: charge.payment.payload, force: true })
      await pollUntil(
        () =>
          stage.sql(`select from movement where end_to_end = ? and disposition = 'returned'`, [
            second.end_to_end,
          ]),
        found => found.length === 1,
      )
      await openFilters(page)
      await page.getByLabel(say('Situação', 'Status')).selectOption({ label: say('Devolvidos', 'Returned') })
      await clickAndLoad(page.getByRole('button', { name: say('Filtrar', 'Filter'), exact: true }))
      const row = page.locator('tbody tr')
      expect(await row.innerText()).toContain(second.end_to_end)
      expect(await row.innerText()).toMatch(new RegExp(say('segundo pagamento', 'second payment')))
      expect(await row.innerText()).toContain(value)
      await expectAccessible(page)
      await clickAndLoad(row.getByRole('link').first())
      const returned = say('O valor foi devolvido ao pagador.', 'The amount was returned to the payer.')
      await page.getByText(returned).waitFor()
      expect(await page.locator('.attempts li').count()).toBe(1)
      await expectAccessible(page)
      await clickAndLoad(page.locator('dl').getByRole('link'))
      expect(new URL(page.url()).pathname).toBe(`/dashboard/charges/${charge.uuid}`)
      expect(await payouts.listPaidOut(merchant)).toMatchObject([{ kind: 'refund', value: 12.5 }])
    },
  )

  test('no page reported an error', () => {
    expect(people.complaints).toEqual([])
  })
})
