import { readFile } from 'node:fs/promises'
import { expect, test } from '@jest/globals'
import { pollUntil } from '../api/support/poll-until.ts'
import type { Merchant, TestStack } from '../api/support/test-stack.ts'
import {
  type BrowserUsers,
  clickAndLoad,
  describeWithBrowser,
  expectAccessible,
  PASSWORD,
  setUpBrowserSuite,
  WAYS,
} from './support/browser.ts'

/** The jobs of a merchant, on a phone in Portuguese and at a desk in English. */

describeWithBrowser('the jobs of a merchant', () => {
  let stage: TestStack
  let people: BrowserUsers
  let merchant: Merchant

  setUpBrowserSuite(async suite => {
    ;({ stage, people } = suite)
    merchant = await stage.createMerchant({ providers: [{ balance: 1_000 }] })
  })

  test.each(WAYS)('a charge is created, sent as a link, paid and found %s', async (_, look, value) => {
    const page = await people.signIn(merchant.uuid, look)
    await page.goto('/dashboard/charges')
    await clickAndLoad(page.getByRole('link', { name: /^(Nova cobrança|New charge)$/ }).first())
    await page.locator('#in-value').fill(value)
    const reference = `mesa ${look.viewport.width}`
    await page.locator('#in-external_ref').fill(reference)
    await expectAccessible(page)
    await page.getByRole('button', { name: /^(Gerar cobrança|Create charge)$/ }).click()
    await page.locator('.payable .countdown time').waitFor()
    await expectAccessible(page)
    await clickAndLoad(page.getByRole('link', { name: /^(Ver a cobrança|View the charge)$/ }))
    await clickAndLoad(page.locator('#new-link button'))
    await expectAccessible(page)

    const payer = await people.sits(look)
    await payer.goto(await page.locator('#link').inputValue())
    const payload = await payer.locator('#payload').inputValue()
    await expectAccessible(payer)
    await payer.evaluate('void (window.remembered = true)')
    await stage.simulator.pay({ payload })
    await payer.locator('.outcome.paid').waitFor()
    expect(await payer.evaluate('window.remembered')).toBe(true)
    await payer
      .getByText(/^(Pago|Paid)$/)
      .first()
      .waitFor()
    expect(await payer.locator('#announced').innerText()).toMatch(/^(Pago|Paid)$/)

    await page.goto(`/dashboard/search?q=${encodeURIComponent(reference)}`)
    await expectAccessible(page)
    expect(await page.locator('#found').innerText()).toMatch(/R\$\s?12[.,]50/)
  })

  test.each(WAYS)(
    'a transfer shows whom it pays before how much, and its attempts %s',
    async (_, look, value) => {
      const payer = await stage.createMerchant({
        providers: [{ provider: 'PROVIDER_B', dialect: 'woovi', balance: 1_000 }],
      })
      const page = await people.signIn(payer.uuid, look)
      await page.goto('/dashboard/transfers/new')
      await page.locator('#in-pix_key').pressSequentially('(11) 98888-7777')
      await page.getByText('+55 (11) 98888-7777').waitFor()
      await page.locator('#in-pix_key').fill('maria@example.com')
      await expectAccessible(page)
      await clickAndLoad(page.getByRole('button', { name: /^(Ver quem recebe|See who receives)$/ }))
      await page.locator('.summary').getByText('Favorecido de Teste').waitFor()
      await page.locator('#in-value').fill(value)
      await expectAccessible(page)
      await clickAndLoad(
        page.getByRole('button', { name: /^(Revisar a transferência|Review the transfer)$/ }),
      )
      await page.getByRole('heading', { name: /Favorecido de Teste/ }).waitFor()
      await expectAccessible(page)
      await page.getByRole('button', { name: /^(Transferir|Transfer) R\$\s?12[.,]50$/ }).click()
      await page.locator('.attempts li').waitFor()
      await page
        .locator('#life .title .status')
        .getByText(/^(Paga|Paid)$/)
        .waitFor()
      await expectAccessible(page)
    },
  )

  test.each(WAYS)('a bank account is paid, whose bank is found by its name %s', async (_, look, value) => {
    const payer = await stage.createMerchant({
      providers: [{ provider: 'PROVIDER_B', dialect: 'woovi', balance: 1_000 }],
    })
    await payer.api.put('/api/v1/limits', { per_day: 500, approvals: { above: 100 } })
    const page = await people.signIn(payer.uuid, look)
    await page.goto('/dashboard/transfers/new')
    await clickAndLoad(page.getByRole('link', { name: /^(Conta bancária|Bank account)$/ }))
    await page.locator('[id="in-receiver.name"]').fill('Maria Souza')
    await page.locator('[id="in-receiver.document"]').fill('529.982.247-25')
    await page.locator('[id="in-receiver.ispb"]').pressSequentially('itaú')
    await page.getByRole('radio', { name: /ITAÚ UNIBANCO/ }).check()
    await page.locator('[id="in-receiver.agency"]').fill('0001')
    await page.locator('[id="in-receiver.account"]').fill('12345-6')
    await expectAccessible(page)
    await clickAndLoad(page.getByRole('button', { name: /^(Continuar|Continue)$/ }))
    await page.locator('.summary').getByText('341 · ITAÚ UNIBANCO S.A.').waitFor()
    // What the limits say about a value appears while it is typed.
    await page.locator('#in-value').fill('500,01'.replace(',', value.at(-3)!))
    await page.locator('#value-limits .note.bad').waitFor()
    await page.locator('#in-value').fill('100,01'.replace(',', value.at(-3)!))
    await page.locator('#value-limits .note:not(.bad)').waitFor()
    await expectAccessible(page)
    await page.locator('#in-value').fill(value)
    await clickAndLoad(page.getByRole('button', { name: /^(Revisar a transferência|Review the transfer)$/ }))
    await expectAccessible(page)
    await page.getByRole('button', { name: /^(Transferir|Transfer) R\$\s?12[.,]50$/ }).click()
    await page
      .locator('#life .title .status')
      .getByText(/^(Paga|Paid)$/)
      .waitFor()
    await expectAccessible(page)
  })

  test.each(WAYS)('a code is paid after it has shown whom and how much %s', async (_, look, value) => {
    const payer = await stage.createMerchant({
      providers: [{ provider: 'PROVIDER_B', dialect: 'woovi', balance: 1_000 }],
    })
    const paid = `140${value.at(-3)}00`
    const codes = await stage.simulator.listForeignCodes()
    const payloadOf = (name: string) => codes.find(code => code.name === name)!.payload
    const page = await people.signIn(payer.uuid, look)
    await page.goto('/dashboard/transfers/new/code')
    const read = page.getByRole('button', { name: /^(Ler o código|Read the code)$/ })
    await page.locator('#in-payload').fill(payloadOf('expired'))
    await clickAndLoad(read)
    await page.getByText(/^(Este código venceu|This code has expired)/).waitFor()
    await expectAccessible(page)
    await page.locator('#in-payload').fill(payloadOf('due'))
    await clickAndLoad(read)
    await page.locator('.summary').getByText('Fornecedora de Fora SA').waitFor()
    await page
      .locator('.summary .amount')
      .getByText(new RegExp(`R\\$\\s?${paid}$`))
      .waitFor()
    await expectAccessible(page)
    await clickAndLoad(page.getByRole('button', { name: /^(Revisar a transferência|Review the transfer)$/ }))
    await expectAccessible(page)
    await page.getByRole('button', { name: new RegExp(`^(Transferir|Transfer) R\\$\\s?${paid}$`) }).click()
    await page
      .locator('#life .title .status')
      .getByText(/^(Paga|Paid)$/)
      .waitFor()
    await expectAccessible(page)
  })

  test.each(WAYS)('what belongs to a charge is found from its page %s', async (_, look, value) => {
    const { api } = merchant
    const charge = await api.createCharge({ value: 12.5, external_ref: `pedido ${look.viewport.width}` })
    await stage.simulator.pay({ payload: charge.payment.payload })
    await pollUntil(
      () => api.readCharge(charge.uuid),
      ({ status }) => status === 'PAID',
    )
    const page = await people.signIn(merchant.uuid, look)
    await page.goto(`/dashboard/charges/${charge.uuid}`)
    await page.locator('#refund #in-value').fill(value)
    await clickAndLoad(page.getByRole('button', { name: /^(Revisar a devolução|Review the refund)$/ }))
    await clickAndLoad(page.getByRole('button', { name: /^(Devolver|Refund) R\$\s?12[.,]50$/ }))
    await expectAccessible(page)
    const actions = await page.locator('.acted').innerText()
    expect(actions).toMatch(/Pediu a devolução|Requested the refund/)
    await clickAndLoad(page.locator('.related a[href^="/dashboard/refunds/"]'))
    await page.locator('.title .status.completed').waitFor()
    await expectAccessible(page)
    await page.goto('/dashboard/settlement')
    await expectAccessible(page)
    await page.goto('/dashboard/refunds')
    await expectAccessible(page)
    const file = page.waitForEvent('download')
    await page.getByRole('link', { name: /CSV/ }).click()
    expect((await file).suggestedFilename()).toMatch(/^(devolucoes-[\w-]+-teste|refunds-[\w-]+-test)\.csv$/)
  })

  test.each(WAYS)('a session that ends in a form loses nothing that was typed %s', async (_, look, value) => {
    const page = await people.signIn(merchant.uuid, look)
    const email = (await page.locator('.whose a').textContent())!.match(/\S+@\S+/)![0]
    await page.goto('/dashboard/charges/new')
    await page.locator('#in-value').fill(value)
    await page.locator('#in-external_ref').fill('mesa 9')
    await stage.sql(
      `update dashboard_session set expires_at = now() where user_uuid = (select uuid from app_user where email = ?)`,
      [email],
    )
    await page.getByRole('button', { name: /^(Gerar cobrança|Create charge)$/ }).click()
    await page.getByLabel(/^E-mail/).fill(email)
    await expectAccessible(page)
    await page.getByLabel(/^(Senha|Password)/).fill(PASSWORD)
    await page.getByRole('button', { name: /^(Entrar|Sign in)$/ }).click()
    await page.waitForURL(/draft=1/)
    expect(await page.locator('#in-value').inputValue()).toBe(value)
    expect(await page.locator('#in-external_ref').inputValue()).toBe('mesa 9')
  })

  test.each(WAYS)(
    'a charge is refunded in part, and the statement has it in its file %s',
    async (_, look, value) => {
      const charge = await merchant.api.createCharge({ value: 80 })
      await stage.simulator.pay({ payload: charge.payment.payload })
      await pollUntil(
        () => merchant.api.readCharge(charge.uuid),
        ({ status }) => status === 'PAID',
      )
      const page = await people.signIn(merchant.uuid, look)
      await page.goto(`/dashboard/charges/${charge.uuid}`)
      await page.locator('#in-value').fill('abc')
      await clickAndLoad(page.locator('#refund button:not([name])'))
      // The error is tied to its field, which has the focus.
      const field = page.locator('#in-value[aria-invalid="true"]')
      expect(await page.evaluate('document.activeElement.id')).toBe('in-value')
      expect(await field.getAttribute('aria-describedby')).toContain('in-value-wrong')
      expect(await page.locator('#in-value-wrong').innerText()).toMatch(/12[.,]?34/)
      await field.fill(value)
      await clickAndLoad(page.locator('#refund button:not([name])'))
      await page.getByRole('heading', { name: /R\$\s?12[.,]50/ }).waitFor()
      await expectAccessible(page)
      await page.getByRole('button', { name: /^(Devolver|Refund) R\$\s?12[.,]50$/ }).click()
      await page
        .locator('#life .title .status')
        .getByText(/^(Devolvida parcialmente|Partially refunded)$/)
        .waitFor()
      await page.goto('/dashboard/ledger')
      await expectAccessible(page)
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: /^(Baixar|Download) CSV$/ }).click(),
      ])
      expect(await readFile(await file.path(), 'utf8')).toMatch(/12[.,]5/)
    },
  )

  test.each(WAYS)('a webhook is registered, tested and shows its delivery %s', async (_, look, _value) => {
    const page = await people.signIn(merchant.uuid, look)
    const url = `${stage.local.inbox_url}/jobs-${look.viewport.width}`
    await page.goto('/dashboard/webhooks')
    await page.locator('main input[name="url"]').fill(url)
    await expectAccessible(page)
    await page
      .getByRole('button', { name: /^(Cadastrar um webhook|Register a webhook|Create a webhook)$/ })
      .click()
    expect(await page.locator('#secret').inputValue()).toMatch(/^whsec_/)
    await clickAndLoad(page.getByRole('link', { name: url }))
    await page.getByRole('button', { name: /^(Enviar um evento de teste|Send a test event)$/ }).click()
    await page.locator('main').getByText('200', { exact: true }).first().waitFor()
    await expectAccessible(page)
  })

  test('no page reported an error', () => {
    const ours = people.complaints.filter(one => !one.includes('Applying inline style'))
    expect(ours).toEqual([])
  })
})
