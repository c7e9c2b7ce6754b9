import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { endPause, startPause } from '../../src/admin/pauses.ts'
import { readOutboxCode } from '../api/support/outbox.ts'
import { createPayoutActions } from '../api/support/payout-actions.ts'
import { pollUntil } from '../api/support/poll-until.ts'
import type { TestStack } from '../api/support/test-stack.ts'
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

/** What a merchant sets up in the dashboard, and an operator's return of an unmatched payment. */

describeWithBrowser('the dashboard in a browser', () => {
  let stage: TestStack
  let people: BrowserUsers

  setUpBrowserSuite(suite => {
    ;({ stage, people } = suite)
  })

  test.each(WAYS)(
    'a webhook is created, a failed delivery is found and resent, its secret is replaced, and it is removed %s',
    async (_, look, _value) => {
      const say = sayIn(look)
      const merchant = await stage.createMerchant()
      const { uuid, api } = merchant
      const inbox = `browser-${randomUUID()}`
      const url = `${stage.local.inbox_url}/${inbox}`
      const page = await people.signIn(uuid, look)
      await followMenu(page, 'Webhooks')
      const none = say(
        'Cadastre abaixo o endereço do seu sistema',
        'Register below the address of your system',
      )
      await page.getByText(none).waitFor()
      await page.getByLabel(say('Endereço', 'Address')).fill(url)
      await page.getByRole('button', { name: say('Cadastrar um webhook', 'Register a webhook') }).click()
      const shown = page.getByLabel(say(`Chave de assinatura de ${url}`, `Signing secret of ${url}`))
      const secret = await shown.inputValue()
      expect(secret).toMatch(/^whsec_/)
      await clickAndLoad(page.getByRole('link', { name: url }))
      expect(await page.content()).not.toContain(secret)

      const delivery = page.locator('article.delivery')
      const test = page.getByRole('button', { name: say('Enviar um evento de teste', 'Send a test event') })
      await test.click()
      await delivery.getByText('200', { exact: true }).first().waitFor()
      await stage.simulator.setInboxResponse(inbox, { status: 500 })
      await test.click()
      await page
        .getByText(say('Um evento de teste está sendo enviado.', 'A test event is being sent.'))
        .waitFor()
      await delivery.getByText('500', { exact: true }).first().waitFor()
      expect(await delivery.count()).toBe(2)
      await page.getByText(say('Filtros', 'Filters'), { exact: true }).click()
      await page.getByLabel(say('Situação', 'Status')).selectOption({ label: say('Pendente', 'Pending') })
      await clickAndLoad(page.getByRole('button', { name: say('Filtrar', 'Filter'), exact: true }))
      expect(await delivery.count()).toBe(1)
      await expectAccessible(page)
      // A resent delivery is pending no more, and leaves the filtered list.
      await page.goto(page.url().split('?')[0]!)
      const resend = delivery.getByRole('button', { name: new RegExp(say('^Reenviar', '^Send again')) })
      await stage.simulator.setInboxResponse(inbox, { status: 200 })
      // What is sent soon is not resent.
      await stage.sql(
        `update delivery set next_attempt_at = now() + interval '1 hour' where status = 'PENDING'
         and webhook_uuid = (select uuid from webhook where url = ?)`,
        [url],
      )
      await clickAndLoad(resend.first())
      await page.getByText(say('O evento está sendo reenviado.', 'The event is being sent again.')).waitFor()
      const resent = delivery.first()
      await resent.getByText('200', { exact: true }).first().waitFor()
      const [, failed, ...rest] = await stage.simulator.listInbox(inbox)
      expect(JSON.parse(failed!.body).type).toBe('TEST')
      // Each attempt delivers the same event, as its receiver knows it.
      expect(new Set(rest.map(({ headers }) => headers['webhook-id']))).toEqual(
        new Set([failed!.headers['webhook-id']]),
      )

      await resent.getByText(say('Resposta', 'Answer'), { exact: true }).last().click()
      const copyAnswer = say('^Copiar ?: Resposta da tentativa \\d+$', '^Copy ?: Answer to attempt \\d+$')
      await resent
        .getByRole('button', { name: new RegExp(copyAnswer) })
        .last()
        .click()
      await resent.getByText(say('Copiado.', 'Copied.')).waitFor()
      const address = page.url()
      await clickAndLoad(resent.getByRole('link', { name: say('Corpo enviado', 'Body sent') }))
      if (!(await page.locator('#body').isVisible())) await page.locator('#body-open > summary').click()
      const copyBody = say('^Copiar ?: Corpo enviado$', '^Copy ?: Body sent$')
      await page.getByRole('button', { name: new RegExp(copyBody) }).click()
      expect(await page.evaluate('getSelection().toString()')).toBe(failed!.body)
      await expectAccessible(page)
      await page.goto(address)

      const rotate = page.getByRole('button', {
        name: say('Trocar a chave de assinatura', 'Replace the signing secret'),
      })
      await clickAndLoad(rotate)
      await rotate.click()
      expect(await shown.inputValue()).not.toBe(secret)
      await page
        .getByText(
          say('a chave anterior também assina até', 'the previous signing secret is also used until'),
        )
        .waitFor()
      await confirm(page, say('Desativar', 'Disable'))
      const changed = page.getByText(say('O webhook foi alterado.', 'The webhook was changed.'))
      await changed.waitFor()
      // What happens meanwhile is recovered afterwards.
      const missed = await createPayoutActions(stage).createPaidCharge(merchant)
      await clickAndLoad(page.getByRole('button', { name: say('Ativar', 'Enable'), exact: true }))
      await changed.waitFor()
      const since = await page.evaluate<string>(
        `new Date(Date.now() - 864e5).toLocaleString('sv', { timeZone: 'America/Sao_Paulo' }).slice(0, 16)`,
      )
      await page.getByLabel(say('Desde', 'Since')).fill(since.replace(' ', 'T'))
      await confirm(page, say('Reenviar os eventos perdidos', 'Send the missed events'))
      await page
        .getByText(
          say('Os eventos não recebidos estão sendo reenviados.', 'The missed events are being sent again.'),
        )
        .waitFor()
      await pollUntil(
        () => stage.simulator.listInbox(inbox),
        received => received.some(({ body }) => body.includes(missed.uuid)),
      )
      await confirm(page, say('Remover', 'Remove'))
      await page.getByText(say('O webhook foi removido.', 'The webhook was removed.')).waitFor()
      expect((await api.get('/api/v1/webhooks')).body.data).toEqual([])
    },
  )

  /** Presses a button, and the one of the page that asks for a confirmation, which has the same words. */
  async function confirm(page: Page, name: string) {
    const button = page.getByRole('button', { name, exact: true })
    await clickAndLoad(button)
    await expectAccessible(page)
    await clickAndLoad(button)
  }

  test.each(WAYS)(
    'a PIX key is created with an e-mail code after a wrong code, and removed %s',
    async (_, look, _value) => {
      const say = sayIn(look)
      const { uuid, api } = await stage.createMerchant({
        providers: [{ provider: 'PROVIDER_B', dialect: 'woovi', sendsNotifications: false }],
      })
      const address = `maria.${randomUUID().slice(0, 13)}@example.com`
      const page = await people.signIn(uuid, look)
      await followMenu(page, say('Chaves Pix', 'PIX keys'))
      const none = say(
        'Cadastre abaixo a chave que recebe nesta conta.',
        'Register below the key that receives in this account.',
      )
      await page.getByText(none).waitFor()
      const ask = page.locator('form[action^="/dashboard/keys/code"]')
      await ask.getByLabel(say('Tipo', 'Type')).selectOption({ label: 'E-mail' })
      await ask.getByLabel(say('Chave', 'Key')).fill(address)
      await ask.getByRole('button', { name: say('Enviar o código', 'Send the code') }).click()
      const created = say(
        `Digite o código de teste de seis dígitos de ${address}, mostrado nesta página.`,
        `Enter the six-digit test code of ${address} that this page shows.`,
      )
      await page.getByText(created).waitFor()
      const code = await readOutboxCode(stage, address)
      const field = page.getByLabel(say('Código', 'Six-digit code'))
      const create = page.getByRole('button', { name: say('Cadastrar a chave', 'Register the key') }).first()
      await field.fill(code === '000000' ? '000001' : '000000')
      await create.click()
      const wrong = say(
        'Código de seis dígitos: não confere; tentativas restantes: 4',
        'Six-digit code: is wrong: 4 attempts left',
      )
      await page.getByText(wrong).waitFor()
      await expectAccessible(page)
      await field.fill(code)
      await create.click()
      await page.getByText(say('A chave foi cadastrada.', 'The key was registered.')).waitFor()
      const row = page.getByRole('row', { name: new RegExp(address) })
      const shown = say('E-mail.*Provedor B.*Ativa', 'E-mail.*Provider B.*Active')
      expect(await row.innerText()).toMatch(new RegExp(shown, 's'))
      await expectAccessible(page)
      await clickAndLoad(row.getByRole('button', { name: new RegExp(say('^Remover', '^Remove')) }))
      await page.getByRole('button', { name: say('Remover a chave', 'Remove the key') }).click()
      await page.getByText(say('A chave foi removida.', 'The key was removed.')).waitFor()
      expect(page.url()).toMatch(/\?mode=test&done=key_removed$/)
      expect((await api.get('/api/v1/pix-keys')).body.data).toEqual([])
    },
  )

  test.each(WAYS)(
    'an operator returns an unmatched payment with a stored reason %s',
    async (_, look, _value) => {
      const say = sayIn(look)
      const back = say('Devolver ao pagador', 'Return to the payer')
      const merchant = await stage.createMerchant({ providers: [{ balance: 100 }] })
      const payoutActions = createPayoutActions(stage)
      const charge = await payoutActions.createPaidCharge(merchant)
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
        { everyMs: 250 },
      )
      await endPause(stage.orm.em.fork(), account)
      await unmatched.getByText(back).first().click()
      await unmatched.getByLabel(say('Motivo', 'Reason')).fill('o pagador ligou')
      await unmatched.getByRole('button', { name: back }).click()
      await operator.getByRole('button', { name: new RegExp(say('^Devolver R\\$', '^Return R\\$')) }).click()
      await operator.getByText(say('A devolução foi solicitada.', 'The return was requested.')).waitFor()
      await pollUntil(disposition, is => is === 'returned')
      expect(await payoutActions.listPaidOut(merchant)).toMatchObject([{ kind: 'refund', value: 10 }])
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
