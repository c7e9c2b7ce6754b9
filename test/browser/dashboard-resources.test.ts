import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { endPause, startPause } from '../../src/db/repositories/pauses.ts'
import { readOutboxCode } from '../api/support/outbox.ts'
import { createPayoutActions } from '../api/support/payout-actions.ts'
import { pollUntil } from '../api/support/poll-until.ts'
import type { TestStack } from '../api/support/test-stack.ts'
import {
  type BrowserUsers,
  clickAndLoad,
  describeWithBrowser,
  followMenu,
  sayIn,
  setUpBrowserSuite,
  WAYS,
} from './support/browser.ts'

/** What a merchant sets up in the dashboard, and an operator's return of an unmatched payment. */

describeWithBrowser('the dashboard in a browser', () => {
  let stage: TestStack
  let people: BrowserUsers

  setUpBrowserSuite(suite => {
    ;({ stage, people } = suite)
  })

  test('a webhook is created, shows its secret once, receives a test event, resends a failed delivery, and is removed', async () => {
    const { uuid, api } = await stage.createMerchant()
    const inbox = `browser-${randomUUID()}`
    const url = `${stage.local.inbox_url}/${inbox}`
    await stage.simulator.setInboxResponse(inbox, { status: 500 })
    const page = await people.signIn(uuid)
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.getByLabel('Endereço').fill(url)
    await page.getByRole('button', { name: 'Cadastrar um webhook' }).click()
    const secret = await page.getByLabel(`Chave de assinatura de ${url}`).inputValue()
    expect(secret).toMatch(/^whsec_/)
    await clickAndLoad(page.getByRole('link', { name: url }))
    expect(await page.content()).not.toContain(secret)

    await page.getByRole('button', { name: 'Enviar um evento de teste' }).click()
    await page.getByText('Um evento de teste está sendo enviado.').waitFor()
    const delivery = page.locator('article.delivery')
    await delivery.getByText('500', { exact: true }).first().waitFor()
    await stage.simulator.setInboxResponse(inbox, { status: 200 })
    await delivery.getByRole('button', { name: /Reenviar/ }).click()
    await page.getByText('O evento está sendo reenviado.').waitFor()
    await delivery.getByText('200', { exact: true }).first().waitFor()
    const [first, ...rest] = await stage.simulator.listInbox(inbox)
    expect(JSON.parse(first!.body).type).toBe('TEST')
    // Each attempt delivers the same event, as its receiver knows it.
    expect(new Set(rest.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([first!.headers['webhook-id']]),
    )

    await delivery.getByText('Resposta', { exact: true }).last().click()
    await delivery
      .getByRole('button', { name: /^Copiar ?: Resposta da tentativa \d+$/ })
      .last()
      .click()
    await delivery.getByText('Copiado.').waitFor()
    const address = page.url()
    await clickAndLoad(delivery.getByRole('link', { name: 'Corpo enviado' }))
    if (!(await page.locator('#body').isVisible())) await page.locator('#body-open > summary').click()
    await page.getByRole('button', { name: /^Copiar ?: Corpo enviado$/ }).click()
    expect(await page.evaluate('getSelection().toString()')).toBe(first!.body)
    await page.goto(address)

    await clickAndLoad(page.getByRole('button', { name: 'Trocar a chave de assinatura' }))
    await page.getByRole('button', { name: 'Trocar a chave de assinatura' }).click()
    expect(await page.getByLabel(`Chave de assinatura de ${url}`).inputValue()).not.toBe(secret)
    await page.getByText('a chave anterior também assina até').waitFor()
    await clickAndLoad(page.getByRole('button', { name: 'Desativar' }))
    await page.getByRole('button', { name: 'Desativar' }).click()
    await page.getByText('O webhook foi alterado.').waitFor()
    await clickAndLoad(page.getByRole('button', { name: 'Remover' }))
    await page.getByRole('button', { name: 'Remover' }).click()
    await page.getByText('O webhook foi removido.').waitFor()
    expect((await api.get('/api/v1/webhooks')).body.data).toEqual([])
  })

  test('a PIX key is created with an e-mail code after a wrong code, and removed', async () => {
    const { uuid, api } = await stage.createMerchant({
      providers: [{ provider: 'PROVIDER_B', dialect: 'woovi', sendsNotifications: false }],
    })
    const address = `maria.${randomUUID().slice(0, 13)}@example.com`
    const page = await people.signIn(uuid)
    await page.getByRole('link', { name: 'Chaves Pix' }).click()
    const ask = page.locator('form[action^="/dashboard/keys/code"]')
    await ask.getByLabel('Tipo').selectOption('EMAIL')
    await ask.getByLabel('Chave').fill(address)
    await ask.getByRole('button', { name: 'Enviar o código' }).click()
    await page.getByText(`Digite o código de seis dígitos enviado para ${address}.`).waitFor()
    const code = await readOutboxCode(stage, address)
    await page.getByLabel('Código').fill(code === '000000' ? '000001' : '000000')
    await page.getByRole('button', { name: 'Cadastrar a chave' }).first().click()
    await page.getByText('Código de seis dígitos: não confere; tentativas restantes: 4').waitFor()
    await page.getByLabel('Código').fill(code)
    await page.getByRole('button', { name: 'Cadastrar a chave' }).first().click()
    await page.getByText('A chave foi cadastrada.').waitFor()
    const row = page.getByRole('row', { name: new RegExp(address) })
    expect(await row.innerText()).toMatch(/E-mail[\s\S]*Provedor B[\s\S]*Ativa/)
    await clickAndLoad(row.getByRole('button', { name: /Remover/ }))
    await page.getByRole('button', { name: 'Remover a chave' }).click()
    await page.getByText('A chave foi removida.').waitFor()
    expect(page.url()).toMatch(/\?mode=test&done=key_removed$/)
    expect((await api.get('/api/v1/pix-keys')).body.data).toEqual([])
  })

  test.each(WAYS)(
    'an operator returns an unmatched payment with a stored reason %s',
    async (_, look, _value) => {
      const say = sayIn(look)
      const back = say('Devolver ao pagador', 'Return to the payer')
      const merchant = await stage.createMerchant({ providers: [{ balance: 100 }] })
      const out = createPayoutActions(stage)
      const charge = await out.createPaidCharge(merchant)
      const account = { target: { accountUuid: merchant.uuid }, actor: 'suite', reason: 'a drill' }
      await startPause(stage.orm.em.fork(), { ...account, reach: 'money_out' })
      const second = await stage.simulator.pay({ payload: charge.payment.payload, force: true })
      const disposition = async () => {
        const [movement] = await stage.sql<{ disposition: string }>(
          `select disposition from movement where end_to_end = ? and movement_type = 'IN'`,
          [second.end_to_end],
        )
        return movement?.disposition
      }
      const operator = await people.signIn(null, look)
      const unmatched = operator.locator('article', { hasText: second.end_to_end })
      await pollUntil(
        async () => {
          await operator.goto('/dashboard/operator/unmatched')
          return unmatched.getByText(back).count()
        },
        count => count > 0,
        { limitMs: 60_000, everyMs: 250 },
      )
      await endPause(stage.orm.em.fork(), account)
      await unmatched.getByText(back).first().click()
      await unmatched.getByLabel(say('Motivo', 'Reason')).fill('o pagador ligou')
      await unmatched.getByRole('button', { name: back }).click()
      await operator.getByRole('button', { name: new RegExp(say('^Devolver R\\$', '^Return R\\$')) }).click()
      await operator.getByText(say('A devolução foi solicitada.', 'The return was requested.')).waitFor()
      await pollUntil(disposition, is => is === 'returned', { limitMs: 60_000 })
      expect(await out.listPaidOut(merchant)).toMatchObject([{ kind: 'refund', value: 10 }])
      await followMenu(operator, say('Ações de operadores', 'Operator actions'))
      const returned = say('Devolução ao pagador', 'Returned to the payer')
      await operator
        .getByRole('row', { name: new RegExp(`${returned}.*o pagador ligou`) })
        .first()
        .waitFor()
    },
  )

  test('no page reported an error', () => {
    expect(people.complaints).toEqual([])
  })
})
