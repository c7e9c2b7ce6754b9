import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { encode } from 'fast-png'
import type { Page } from 'playwright-core'
import { pollUntil } from '../api/support/poll-until.ts'
import type { Merchant, TestStack } from '../api/support/test-stack.ts'
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

/** The dashboard in a real browser over the real stack. */

describeWithBrowser('the dashboard in a browser', () => {
  let stage: TestStack
  let people: BrowserUsers
  let merchant: Merchant
  /** A transfer of unknown outcome for each way, of an account of its own. */
  const unknown: Record<string, { uuid: string; account: string }> = {}

  setUpBrowserSuite(async suite => {
    ;({ stage, people } = suite)
    merchant = await stage.createMerchant({
      providers: [{ balance: 100 }, { provider: 'PROVIDER_C', balance: 100 }],
    })
    for (const [, { locale }] of WAYS) unknown[locale] = await sendUnknownTransfer()
  })

  /** Sends a transfer whose provider never says what became of it. */
  async function sendUnknownTransfer() {
    const {
      connection,
      api,
      uuid: account,
    } = await stage.createMerchant({
      providers: [{ provider: 'PROVIDER_B', balance: 50 }],
    })
    const fault = { provider: connection.provider, account: connection.account }
    await stage.simulator.addFault({ ...fault, operation: 'sendTransfer', fault: 'timeout_then_done' })
    await stage.simulator.addFault({ ...fault, operation: 'findTransfer', fault: 'http_500', times: 10_000 })
    const transfer = await api.post('/api/v1/transfers', { value: 12.5, pix_key: 'maria@example.com' })
    return { uuid: transfer.body.data.uuid as string, account }
  }

  const statusOf = (page: Page) => page.locator('#life .title .status')
  /** A reloaded page has lost this. */
  const remember = (page: Page) => page.evaluate('void (window.remembered = true)')
  const remembers = (page: Page) => page.evaluate<boolean>('window.remembered === true')
  const turns = (page: Page, text: string) => statusOf(page).getByText(text, { exact: true }).waitFor()

  test('a charge shows its code, its payment without a reload, and a partial refund', async () => {
    const charge = await merchant.api.createCharge({ value: 150.75, external_ref: 'pedido-1' })
    const page = await people.signIn(merchant.uuid)
    await page.getByRole('link', { name: 'Cobranças', exact: true }).click()
    const row = page.getByRole('row', { name: /pedido-1/ })
    expect(await row.innerText()).toMatch(/Pendente[\s\S]*R\$\s150,75/)
    await row.getByRole('link').click()

    await page.getByRole('img', { name: 'QR Code da cobrança' }).waitFor()
    // Its place is reserved before it loads; a file that is not a picture is refused here.
    await page.evaluate('document.querySelector("img.qr").decode()')
    expect(await page.getByLabel('Pix copia e cola').inputValue()).toBe(charge.payment.payload)
    await page.getByRole('button', { name: 'Copiar o código' }).click()
    await page.getByText('Copiado.').waitFor()

    await remember(page)
    await stage.simulator.pay({ payload: charge.payment.payload })
    await turns(page, 'Paga')
    expect(await remembers(page)).toBe(true)
    await page.reload()
    await page.getByLabel('Valor a devolver').fill('50,25')
    await clickAndLoad(page.getByRole('button', { name: 'Revisar a devolução', exact: true }))
    await page.getByRole('heading', { name: /^Devolver R\$\s50,25 a / }).waitFor()
    await page.getByRole('button', { name: /^Devolver R\$\s50,25$/ }).click()
    await page.getByText('A devolução foi aceita e está em processamento.').waitFor()
    await turns(page, 'Devolvida parcialmente')
    expect((await merchant.api.readCharge(charge.uuid)).status).toBe('PARTIALLY_REFUNDED')
    const steps = await page.locator('.timeline li strong').allInnerTexts()
    expect(steps).toEqual([
      'Pendente',
      'Em processamento',
      'Paga',
      expect.stringMatching(/^Devolução de R\$\s50,25 concluída/),
      'Devolvida parcialmente',
    ])
    // Workflows are for operators.
    expect(await page.getByRole('link', { name: /Abrir no Temporal/ }).count()).toBe(0)
  })

  test('the available actions follow the workflow without a reload, and a final state is polled no more', async () => {
    const charge = await merchant.api.createCharge({ value: 20 })
    const page = await people.signIn(merchant.uuid)
    await page.goto(`/dashboard/charges/${charge.uuid}`)
    const cancel = page.getByRole('button', { name: 'Cancelar a cobrança' })
    await cancel.waitFor()
    await remember(page)
    await stage.simulator.pay({ payload: charge.payment.payload })
    await turns(page, 'Paga')
    const { provider, account } = merchant.connection
    // In progress until its page is shown, also on a busy machine.
    const slow = { operation: 'refund', fault: 'accepted_then_silent', delay_ms: 10_000 } as const
    await stage.simulator.addFault({ provider, account, ...slow })
    await page.getByLabel('Valor a devolver').fill('5')
    expect([await cancel.count(), await page.locator('#live[hx-get]').count()]).toEqual([0, 0])
    expect(await remembers(page)).toBe(true)
    await clickAndLoad(page.getByRole('button', { name: 'Revisar a devolução', exact: true }))
    await page.getByRole('button', { name: /^Devolver R\$\s5,00$/ }).click()
    await page.getByText('A devolução foi aceita e está em processamento.').waitFor()
    await page.getByText('Há uma devolução desta cobrança em andamento.').waitFor()
    await turns(page, 'Devolvida parcialmente')
    expect(await page.getByLabel('Valor a devolver').inputValue()).toBe('15,00')
    await page.getByRole('button', { name: /Revisar a devolução total: R\$\s15,00/ }).waitFor()
    expect(await page.locator('#live[hx-get]').count()).toBe(0)
  })

  test('an update keeps the keyboard focus and the opened sections', async () => {
    const { uuid, api } = await stage.createMerchant()
    const [first, second] = [
      await api.createCharge({ external_ref: 'primeira' }),
      { external_ref: 'segunda' },
    ]
    const page = await people.signIn(uuid)
    await page.goto('/dashboard/charges')
    await page
      .getByRole('row', { name: /primeira/ })
      .getByRole('link')
      .focus()
    const { payment } = await api.createCharge({ value: 33, ...second })
    await page.getByRole('row', { name: /segunda/ }).waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe(first.uuid)

    // The overview has no chart before money has moved.
    await stage.simulator.pay({ payload: first.payment.payload })
    await pollUntil(
      () => api.readCharge(first.uuid),
      ({ status }) => status === 'PAID',
    )
    await page.goto('/dashboard')
    await page.getByText('Ver em tabela').click()
    await page.getByRole('region', { name: 'Ver em tabela' }).waitFor()
    await stage.simulator.pay({ payload: payment.payload })
    await page.getByRole('cell', { name: /R\$\s43,00/ }).waitFor()
  })

  test('a button pressed twice acts once, and shows the result', async () => {
    const page = await people.signIn(merchant.uuid)
    await page.goto('/dashboard/tokens')
    await page.getByLabel('Nome').fill('com pressa')
    // The response is slow, so that the button can be pressed again.
    await page.route('**/dashboard/tokens', async route => {
      const response = await route.fetch()
      await pause(2_000)
      await route.fulfill({ response }).catch(() => {})
    })
    const button =
      '[...document.querySelectorAll("button")].find(one => one.textContent === "Criar um token")'
    await page.evaluate(`const button = ${button}; button.click(); setTimeout(() => button.click(), 500)`)
    expect(await page.getByLabel('Token', { exact: true }).inputValue()).toMatch(/^trl_/)
    await page.unroute('**/dashboard/tokens')
    await page.goBack()
    await page.getByLabel('Nome').fill('outro')
    await page.getByRole('button', { name: 'Criar um token' }).click()
    await page
      .getByText('O token já foi criado')
      .or(page.getByLabel('Token', { exact: true }))
      .waitFor()
  })

  test.each(WAYS)('a charge is cancelled once that is confirmed %s', async (_, look, value) => {
    const say = sayIn(look)
    const charge = await merchant.api.createCharge({ value: 12.5 })
    const page = await people.signIn(merchant.uuid, look)
    await page.goto(`/dashboard/charges/${charge.uuid}`)
    const cancel = say('Cancelar a cobrança', 'Cancel the charge')
    await clickAndLoad(page.getByRole('button', { name: cancel }))
    await page.getByText(say('o código Pix não pode mais ser pago', 'can no longer be paid')).waitFor()
    await expectAccessible(page)
    const named = say(`^${cancel} de R\\$\\s?${value}$`, `^${cancel} of R\\$\\s?${value}$`)
    await page.getByRole('button', { name: new RegExp(named) }).click()
    await page.getByText(say('A cobrança foi cancelada.', 'The charge was cancelled.')).waitFor()
    await turns(page, say('Cancelada', 'Cancelled'))
    expect((await merchant.api.readCharge(charge.uuid)).status).toBe('CANCELLED')
  })

  test('a transfer shows the first provider’s refusal and its reason', async () => {
    const [first] = merchant.connections
    await stage.simulator.addFault({
      provider: first!.provider,
      account: first!.account,
      operation: 'sendTransfer',
      fault: 'refused',
      times: 1,
    })
    const transfer = await merchant.api.post('/api/v1/transfers', {
      value: 3.1,
      pix_key: 'maria@example.com',
    })
    const page = await people.signIn(merchant.uuid)
    await page.goto(`/dashboard/transfers/${transfer.body.data.uuid}`)
    await turns(page, 'Paga')
    const attempts = await page.locator('.attempts li').allInnerTexts()
    expect(attempts).toHaveLength(2)
    expect(attempts[0]).toMatch(/Provedor A\s+Recusada[\s\S]*O próximo provedor foi acionado\./)
    expect(attempts[1]).toMatch(/Provedor C\s+Liquidada/)
  })

  test.each(WAYS)('a token is created, shown once, used and revoked %s', async (_, look, _value) => {
    const say = sayIn(look)
    const page = await people.signIn(merchant.uuid, look)
    await followMenu(page, say('Tokens de API', 'API tokens'))
    const name = `loja do centro ${look.locale}`
    await page.getByLabel(say('Nome', 'Name')).fill(name)
    await page.getByLabel(say('Ambiente', 'Environment')).selectOption('test')
    await page
      .getByRole('combobox', { name: new RegExp(say('^Provedor', '^Provider')) })
      .selectOption(merchant.connection.uuid)
    await page.getByRole('button', { name: say('Criar um token', 'Create a token') }).click()
    const token = await page.getByLabel('Token', { exact: true }).inputValue()
    expect(token).toMatch(/^trl_test_/)
    const seen = await stage.api.withToken(token).get('/api/v1/providers')
    expect(seen.body.data.map((one: { uuid: string }) => one.uuid)).toEqual([merchant.connection.uuid])
    await followMenu(page, say('Tokens de API', 'API tokens'))
    expect(await page.content()).not.toContain(token)
    await expectAccessible(page)
    const revoke = page.getByRole('button', { name: `${say('Revogar', 'Revoke')} ${name}` })
    await clickAndLoad(revoke)
    await revoke.click()
    await page.getByText(say('O token foi revogado', 'The token was revoked')).waitFor()
    await pollUntil(
      async () => (await stage.api.withToken(token).get('/api/v1/providers')).status,
      status => status === 401,
    )
  })

  test.each(WAYS)('a dispute is replied to with a file before its deadline %s', async (_, look, _value) => {
    const say = sayIn(look)
    const { uuid, api } = await stage.createMerchant({ providers: [{ balance: 100 }] })
    const charge = await api.createCharge({ value: 42 })
    const { end_to_end } = await stage.simulator.pay({ payload: charge.payment.payload })
    await pollUntil(
      () => api.readCharge(charge.uuid),
      ({ status }) => status === 'PAID',
    )
    await stage.simulator.openDispute({ end_to_end, type: 'SCAM' })
    const { body } = await pollUntil(
      () => api.get('/api/v1/meds'),
      answer => answer.body.data.length > 0,
    )
    const page = await people.signIn(uuid, look)
    await followMenu(page, say('Contestações', 'Disputes'))
    await page
      .getByRole('row', { name: new RegExp(say('Golpe', 'Scam')) })
      .getByRole('link')
      .click()
    await page.getByText(say('Prazo para responder, em', 'Deadline to reply, in')).waitFor()
    await page.getByLabel(say('Recusar', 'Reject')).check()
    const justification = page.getByLabel(say('Justificativa', 'Justification'))
    await justification.pressSequentially('A mercadoria foi entregue; ')
    // An update while the user types is shown, and the typing continues where it was.
    await stage.sql('update dispute set failure = ? where uuid = ?', [
      JSON.stringify({ code: 'not_heard', message: '' }),
      body.data[0].uuid,
    ])
    await page.getByText('not_heard').waitFor()
    await page.keyboard.type('segue o comprovante.')
    expect(await justification.inputValue()).toBe('A mercadoria foi entregue; segue o comprovante.')
    expect(await page.getByLabel(say('Recusar', 'Reject')).isChecked()).toBe(true)
    const picture = Buffer.from(encode({ width: 1, height: 1, data: new Uint8Array(1), channels: 1 }))
    const file = { name: 'comprovante.png', mimeType: 'image/png', buffer: picture }
    await page.getByLabel(say('Comprovantes (arquivos)', 'Evidence (files)')).setInputFiles([file])
    await page.getByLabel(say('Confirmo: a resposta é definitiva', 'I confirm: the reply is final')).check()
    await expectAccessible(page)
    await page.getByRole('button', { name: say('Enviar a resposta', 'Send the reply') }).click()
    await page.getByText(say('A resposta foi enviada.', 'The reply was sent.')).waitFor()
    await turns(page, say('Em processamento', 'Processing'))
    await expectAccessible(page)
    const proof = page.getByRole('link', { name: new RegExp(say('Comprovante 1', 'Evidence 1')) })
    const kept = await fetch(new URL((await proof.getAttribute('href'))!, stage.local.api_url))
    expect(Buffer.from(await kept.arrayBuffer())).toEqual(picture)
    expect((await api.get(`/api/v1/meds/${body.data[0].uuid}`)).body.data.status).toBe('PROCESSING')
    expect(await page.locator('#reply').count()).toBe(0)
  })

  test.each(WAYS)(
    'an operator pauses with a stored reason, and a merchant has no access to that page %s',
    async (_, look, _value) => {
      const say = sayIn(look)
      const other = await stage.createMerchant()
      const operator = await people.signIn(null, look)
      await followMenu(operator, say('Provedores e suspensões', 'Providers and pauses'))
      await operator.getByLabel(say('Alvo', 'Target')).selectOption('account')
      await operator.getByLabel(say('Identificador (UUID)', 'Identifier (UUID)')).fill(other.uuid)
      await operator
        .getByLabel(say('Operações a suspender', 'Operations to pause'))
        .selectOption('everything')
      const form = operator.locator('form[action$="/pause"]')
      await form.getByLabel(say('Motivo', 'Reason')).fill('suspeita de fraude')
      await form.getByRole('button', { name: say('Suspender', 'Pause') }).click()
      const confirm = operator.getByRole('button', { name: new RegExp(say('^Suspender .', '^Pause .')) })
      await confirm.waitFor()
      await expectAccessible(operator)
      await confirm.click()
      await operator.getByText(say('A suspensão está em vigor.', 'The pause is in effect.')).waitFor()
      const order = { value: 1, type: 'PIX' }
      expect((await other.api.post('/api/v1/payments', order)).body.code).toBe('paused')

      const merchants = await people.signIn(other.uuid, look)
      expect((await merchants.goto('/dashboard/operator/providers'))!.status()).toBe(404)
      expect(await merchants.content()).not.toContain('suspeita de fraude')

      const pause = operator.locator('article', { hasText: other.uuid })
      await pause.getByText(say('Retomar', 'Resume')).first().click()
      await pause.getByLabel(say('Motivo', 'Reason')).fill('esclarecido')
      await pause.getByRole('button', { name: say('Retomar', 'Resume') }).click()
      await operator.getByRole('button', { name: new RegExp(say('^Retomar .', '^Resume .')) }).click()
      await operator.getByText(say('A suspensão terminou.', 'The pause has ended.')).waitFor()
      expect((await other.api.post('/api/v1/payments', order)).status).toBe(201)
      await followMenu(operator, say('Ações de operadores', 'Operator actions'))
      for (const reason of ['suspeita de fraude', 'esclarecido'])
        await operator.getByRole('row', { name: new RegExp(`${other.uuid}.*${reason}`) }).waitFor()
    },
  )

  test.each(WAYS)('an operator settles an unknown outcome manually %s', async (_, look, value) => {
    const say = sayIn(look)
    const { uuid: transfer, account } = unknown[look.locale]!
    const operator = await people.signIn(null, look)
    const listed = operator.locator('tr', { hasText: transfer.slice(0, 8) })
    await pollUntil(
      async () => {
        await operator.goto('/dashboard/operator/unknown')
        return listed.count()
      },
      count => count === 1,
      { limitMs: 120_000, everyMs: 500 },
    )
    await listed.getByRole('link', { name: new RegExp(say('^Encerrar', '^Settle')) }).click()
    await operator
      .getByRole('button', { name: say('Consultar o provedor agora', 'Ask the provider now') })
      .click()
    const outcome = say(
      '^O provedor (respondeu|está sendo consultado)',
      '^The provider (has answered|is being polled)',
    )
    await operator.getByText(new RegExp(outcome)).waitFor()
    await operator.getByLabel(say('Resultado', 'Outcome')).selectOption('rejected')
    await operator.getByLabel(say('Comprovação', 'Evidence'), { exact: true }).selectOption('statement')
    const reason = 'o extrato do provedor não a tem'
    await operator.getByLabel(say('Motivo (só para operadores)', 'Reason (for operators only)')).fill(reason)
    const message = 'O banco não concluiu esta transferência.'
    await operator.getByLabel(say('Mensagem para o lojista', 'Message for the merchant')).fill(message)
    await expectAccessible(operator)
    await clickAndLoad(
      operator.getByRole('button', { name: say('Revisar o encerramento', 'Review the settlement') }),
    )
    const receiver = say('para maria@example\\.com', 'to maria@example\\.com')
    await operator.getByRole('heading', { name: new RegExp(`R\\$\\s?${value} ${receiver}`) }).waitFor()
    await expectAccessible(operator)
    const button = say(
      `^Encerrar R\\$\\s?${value} como não enviado$`,
      `^Settle R\\$\\s?${value} as not sent$`,
    )
    await operator.getByRole('button', { name: new RegExp(button) }).click()
    const requested = say('O encerramento manual foi solicitado.', 'The manual settlement was requested.')
    await operator.getByText(requested).waitFor()
    const page = await people.signIn(account, look)
    await page.goto(`/dashboard/transfers/${transfer}`)
    await turns(page, say('Falhou', 'Failed'))
    // On the banner, and with the attempt that the operator has ended.
    await page.getByText(message).first().waitFor()
    expect(await page.content()).not.toContain(reason)
  })

  test('no page reported an error', () => {
    expect(people.complaints).toEqual([])
  })
})
