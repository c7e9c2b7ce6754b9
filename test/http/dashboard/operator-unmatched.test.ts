import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createMovement, postMovement } from '../../../src/activities/ledger/movements.ts'
import { recordUnmatchedPayment } from '../../../src/activities/unmatched/record.ts'
import { buildPendingReturnLegs } from '../../../src/activities/unmatched/return-payout.ts'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { Movement } from '../../../src/db/entities/movement.ts'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import type { IncomingPix } from '../../../src/domain/providers/provider.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf, hiddenFieldsOf } from '../support/browser.ts'
import { PASSWORD } from '../support/full-account.ts'

/** What an operator keeps of an unmatched PIX that was returned in part in the provider's panel. */

const PATH = '/dashboard/operator/unmatched'
const KEEP = '/dashboard/operator/keep'

let fixture: ApiFixture
let connection: Connection
let operator: ReturnType<typeof createBrowser>
beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  const uuid = await fixture.insertConnection(await fixture.insertAccount())
  connection = await fixture.orm.em.fork().findOneOrFail(Connection, uuid)
  await addUser(fixture.orm.em.fork(), { email: 'op@trilho.test', password: PASSWORD, accountUuid: null })
  operator = createBrowser(fixture)
  await operator.signIn('op@trilho.test', PASSWORD)
})
afterAll(() => fixture.close())

/** A second payment of R$ 10.00, and the form that keeps it, as its page shows it now. */
async function createUnmatchedPix() {
  const payment = {
    endToEnd: `E${randomUUID().replaceAll('-', '').slice(1)}`,
    txid: '',
    cents: 1_000,
    status: 'settled',
    at: new Date().toISOString(),
  } as IncomingPix
  const { uuid } = await runInTransaction(fixture.orm, em =>
    recordUnmatchedPayment(em, { connection, payment, reason: 'second_payment', requestId: 'r' }),
  )
  return {
    async returnInPanel(cents: number) {
      await runInTransaction(fixture.orm, async em => {
        const original = await em.findOneOrFail(Movement, uuid)
        const { accountUuid, providerAccountUuid, connectionUuid } = original
        const returnMovement = createMovement(em, new Date(), {
          accountUuid,
          providerAccountUuid,
          connectionUuid,
          originalUuid: uuid,
          valueCents: cents,
          type: 'EXTERNAL_REFUND',
          movementType: 'OUT',
          status: 'SETTLED',
          reason: 'panel_return',
          settledAt: new Date(),
        })
        await postMovement(em, returnMovement, (await buildPendingReturnLegs(em, original, cents))!)
      })
    },
    async fillInForm() {
      const { text } = await operator.get(PATH)
      const article = text.slice(text.indexOf(payment.endToEnd))
      const form = article.slice(article.indexOf('name="act" value="keep"'))
      const fields = ['_csrf', 'uuid', 'disposition', 'sending', 'cents']
      return {
        ...Object.fromEntries(fields.map(name => [name, hiddenFieldOf(form, name) ?? ''])),
        reason: 'the payer’s account is closed',
      }
    },
  }
}

test('the page and its confirmation name what is left of the PIX', async () => {
  const pix = await createUnmatchedPix()
  await pix.returnInPanel(400)
  expect((await operator.get(PATH)).text).toContain('R$\u00a06,00')
  const question = await operator.send(KEEP, await pix.fillInForm(), { on: PATH })
  expect(question.text).toContain('R$\u00a06,00')
  expect(question.text).not.toContain('R$\u00a010,00')
  expect(await checkLedger(fixture.orm.em.fork())).toEqual([])
})

test('a part that is returned after the page was loaded, or after its confirmation, is a conflict that names the rest', async () => {
  const pix = await createUnmatchedPix()
  await pix.returnInPanel(100)
  const form = await pix.fillInForm()
  await pix.returnInPanel(200)
  const stale = await operator.call('POST', KEEP, { form })
  expect([stale.status, stale.text.includes('R$\u00a07,00')]).toEqual([409, true])

  const question = await operator.call('POST', KEEP, { form: await pix.fillInForm() })
  await pix.returnInPanel(300)
  const confirmed = await operator.call('POST', KEEP, { form: hiddenFieldsOf(question.text) })
  expect([confirmed.status, confirmed.text.includes('R$\u00a04,00')]).toEqual([409, true])
})
