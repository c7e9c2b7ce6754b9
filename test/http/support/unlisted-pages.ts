import { equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { enableSecondFactor } from '../../../src/admin/second-factor.ts'
import { addUser } from '../../../src/admin/users.ts'
import { Movement } from '../../../src/db/entities/movement.ts'
import { insertPasswordReset } from '../../../src/db/repositories/password-resets.ts'
import { addDays } from '../../../src/domain/charges/business-days.ts'
import { buildStaticBrCode } from '../../../src/domain/pix/static-br-code.ts'
import { formatAuthentication, hasReceipt, writeReceiptFacts } from '../../../src/domain/receipts/receipt.ts'
import { computeBrasiliaDay } from '../../../src/domain/shared/brasilia-day.ts'
import { generateLinkToken, hashResetToken } from '../../../src/security/tokens.ts'
import { generateTotpSecret } from '../../../src/security/totp.ts'
import { submitSignIn } from '../../browser/support/sign-in.ts'
import type { ApiFixture } from './api-fixture.ts'
import { createDueTerms, insertDueCharge } from './due-charge.ts'
import { type createFullAccount, PASSWORD } from './full-account.ts'
import { insertDebit, insertRecurrence } from './recurrences.ts'

/** Pages that are not in the router's list: reached without a session, or by a refusal or a fault. */

type FullAccount = Awaited<ReturnType<typeof createFullAccount>>

const SIGN_IN = '/dashboard/sign-in'
const ACCOUNT_FORM = '/dashboard/transfers/new/account'
const RECEIVER = {
  'receiver.name': 'Maria Souza',
  'receiver.document': '529.982.247-25',
  'receiver.ispb': '260',
  'receiver.agency': '0001',
  'receiver.account': '12345-6',
}
const OPEN_CODE = buildStaticBrCode({
  key: 'ana@example.com',
  cents: null,
  txid: '***',
  receiverName: 'Loja da Ana',
})
const RESET = '/dashboard/password-reset'
const [VIEWER, TWO_FACTORS] = ['viewer@accessible.test', 'two@accessible.test'] as const
const NEW_PASSWORD = 'another long password'
const [INVITATION, CLOSED_INVITATION] = ['i'.repeat(32), 'c'.repeat(32)] as const
/** Token of the payment link with this name. */
const linkTokenOf = (name: string) => name.replaceAll('-', '').padEnd(32, 'x').slice(0, 32)

/** Stores what the pages need, and returns how a browser without a session reaches each, by its name. */
export async function prepareUnlistedPages(
  fixture: ApiFixture,
  ours: FullAccount,
): Promise<Record<string, (page: Page) => Promise<unknown>>> {
  const em = fixture.orm.em.fork()
  const user = { password: PASSWORD, accountUuid: ours.account }
  await addUser(em, { ...user, email: VIEWER, role: 'viewer' })
  const { uuid } = await addUser(em, { ...user, email: TWO_FACTORS })
  const secret = generateTotpSecret()
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate()
  const author = { uuid, email: TWO_FACTORS, accountUuid: ours.account }
  await enableSecondFactor(em, fixture.dependencies.sealer, { author, secret, code, recoveryCodes: [] })
  await ours.sql(
    `insert into user_invitation (uuid, account_uuid, email, role, token_hash, invited_by, created_at, expires_at)
     select gen_random_uuid(), account_uuid, 'late@trilho.test', role, sha256(convert_to(?, 'UTF8')), invited_by,
       now() - interval '9 days', now() - interval '2 days' from user_invitation where uuid = ?`,
    [CLOSED_INVITATION, ours.invitation],
  )
  await ours.sql(`update user_invitation set token_hash = sha256(convert_to(?, 'UTF8')) where uuid = ?`, [
    INVITATION,
    ours.invitation,
  ])
  await ours.sql(`update charge set expires_at = now() + interval '1 hour' where uuid = ?`, [ours.open])
  for (const [charge, name, revokedAt] of [
    [ours.open, ours.open, null],
    [ours.charge, ours.charge, null],
    [ours.open, 'revoked', new Date()],
  ] as const)
    await ours.sql(
      `insert into payment_link (uuid, account_uuid, mode, charge_uuid, token_hash, sealed_token, note, request_id, fingerprint,
         created_at, revoked_at)
       values (gen_random_uuid(), ?, 'test', ?, sha256(convert_to(?, 'UTF8')), 's', 'Mesa 9', 'r', 'f', now(), ?)`,
      [ours.account, charge, linkTokenOf(name), revokedAt],
    )
  for (const [name, expiresAt] of [
    ['offer', null],
    ['expired', new Date(0)],
  ] as const)
    await ours.sql(
      `insert into payment_link (uuid, account_uuid, mode, token_hash, sealed_token, note, value_cents, expires_in_seconds,
         max_payments, expires_at, request_id, fingerprint, created_at)
       values (gen_random_uuid(), ?, 'test', sha256(convert_to(?, 'UTF8')), 's', 'Mesa 9', 5000, 3600, 2, ?, 'r', 'f', now())`,
      [ours.account, linkTokenOf(name), expiresAt],
    )

  const movement = await em.findOneOrFail(Movement, { chargeUuid: ours.charge, type: 'EXTERNAL_TRANSFER' })
  const facts = hasReceipt(movement) ? writeReceiptFacts(movement) : ''
  const authentication = formatAuthentication(movement.uuid, fixture.dependencies.sealer.mac(facts))

  const dueCharge = await insertDueCharge(ours, createDueTerms())
  const manualRecurrence = await insertRecurrence(ours, { generate: 'MANUAL' })
  const debitOn = addDays(computeBrasiliaDay(new Date()), -1)
  const debit = await insertDebit(ours, {
    recurrence: manualRecurrence,
    cycle: 2,
    debitOn,
    tries: [{ on: debitOn, kind: 'FIRST', status: 'REJECTED', code: 'DENC'.repeat(9), endToEnd: null }],
  })

  /** Runs work while a table is absent, as after a wrong migration. */
  async function withoutTable<T>(table: string, work: () => Promise<T>): Promise<T> {
    await ours.sql(`alter table ${table} rename to ${table}_away`)
    return work().finally(() => ours.sql(`alter table ${table}_away rename to ${table}`))
  }

  return {
    'the sign-in': page => page.goto(SIGN_IN),
    'the sign-in with a wrong password': page =>
      fillIn(page, SIGN_IN, { email: ours.email, password: 'wrong' }),
    'the second step': async page => {
      await fillIn(page, SIGN_IN, { email: TWO_FACTORS, password: PASSWORD })
      equal(new URL(page.url()).pathname, `${SIGN_IN}/code`)
    },
    'the second step with a wrong code': async page => {
      await fillIn(page, SIGN_IN, { email: TWO_FACTORS, password: PASSWORD })
      await fillIn(page, null, { code: '000000' })
    },
    'an invitation': async page => {
      equal((await page.goto(`/dashboard/invitation/${INVITATION}`))!.status(), 200)
    },
    'an invitation with a short password': async page => {
      const path = `/dashboard/invitation/${INVITATION}`
      await page.goto(path)
      await page.evaluate(
        `document.querySelectorAll('[minlength]').forEach(one => one.removeAttribute('minlength'))`,
      )
      await fillIn(page, null, { name: 'Bia', password: 'short' })
    },
    'an invitation that is over': page => page.goto(`/dashboard/invitation/${CLOSED_INVITATION}`),
    'an unknown invitation': page => page.goto(`/dashboard/invitation/${'x'.repeat(32)}`),
    'a forgotten password': page => page.goto(RESET),
    'a forgotten password without an address': async page => {
      await page.goto(RESET)
      await page.evaluate(`document.querySelector('form[action="${RESET}"]').noValidate = true`)
      await fillIn(page, null, { email: 'no address' })
    },
    'a link for a new password': async page => {
      const token = generateLinkToken()
      const reset = { uuid: randomUUID(), userUuid: ours.user, tokenHash: hashResetToken(token) }
      await insertPasswordReset(fixture.orm.em.fork(), { ...reset, sealedMessage: null })
      equal((await page.goto(`${RESET}/${token}`))!.status(), 200)
    },
    'a link for a new password that was used': page => page.goto(`${RESET}/${'x'.repeat(32)}`),
    'a payment link': page => page.goto(`/pay/${linkTokenOf(ours.open)}`),
    'a payment link of a paid charge': page => page.goto(`/pay/${linkTokenOf(ours.charge)}`),
    'a payment link that was revoked': page => page.goto(`/pay/${linkTokenOf('revoked')}`),
    'a payment link that offers a code': page => page.goto(`/pay/${linkTokenOf('offer')}`),
    'a payment link whose time is over': page => page.goto(`/pay/${linkTokenOf('expired')}`),
    'an unknown payment link': page => page.goto(`/pay/${'x'.repeat(32)}`),
    'a payment link while its table does not answer': page =>
      withoutTable('payment_link', () => page.goto(`/pay/${linkTokenOf(ours.open)}`)),
    'a receipt that is checked': page => page.goto(`/receipts/${authentication}`),
    'an unknown receipt that is checked': page => page.goto('/receipts/x'),
    'a recurrence that is charged by hand, with a cycle': async page => {
      await submitSignIn(page, { email: ours.email, password: PASSWORD })
      equal((await page.goto(`/dashboard/recurrences/${manualRecurrence}`))!.status(), 200)
    },
    'a debit that can be tried again': async page => {
      await submitSignIn(page, { email: ours.email, password: PASSWORD })
      equal((await page.goto(`/dashboard/charges/${debit}`))!.status(), 200)
    },
    'a charge with a due date': async page => {
      await submitSignIn(page, { email: ours.email, password: PASSWORD })
      equal((await page.goto(`/dashboard/charges/${dueCharge}`))!.status(), 200)
      equal(await page.locator('tr[aria-current="date"]').count(), 1)
    },
    'the form that changes a charge': async page => {
      await submitSignIn(page, { email: ours.email, password: PASSWORD })
      await page.goto(`/dashboard/charges/${dueCharge}/change`)
      equal(await page.locator('input[name="due.on"]').count(), 1)
    },
    'the counter with a due date': async page => {
      await submitSignIn(page, { email: ours.email, password: PASSWORD })
      equal((await page.goto(`/dashboard/charges/${dueCharge}/counter`))!.status(), 200)
    },
    'an own password that is refused': async page => {
      await submitSignIn(page, { email: VIEWER, password: PASSWORD })
      const fields = { current_password: 'wrong', password: NEW_PASSWORD }
      await fillIn(page, '/dashboard/profile', fields, 'form[action$="/password"]')
    },
    'the value of a transfer to a key that no bank looks up': async page => {
      await submitSignIn(page, { email: ours.email, password: PASSWORD })
      await fillIn(page, '/dashboard/transfers/new', { pix_key: 'maria@example.com' })
      equal(await page.locator('input[name="value"]').count(), 1)
    },
    'an account whose bank is to be chosen': async page => {
      await submitSignIn(page, { email: ours.email, password: PASSWORD })
      await fillIn(page, ACCOUNT_FORM, { ...RECEIVER, 'receiver.ispb': 'banco do' })
      equal(await page.locator('input[name="chosen_ispb"]').count(), 8)
    },
    'the value of a transfer to an account, above a limit': async page => {
      await submitSignIn(page, { email: ours.email, password: PASSWORD })
      await fillIn(page, ACCOUNT_FORM, RECEIVER)
      const form = page.locator('main form').first()
      await form.locator('input[name="value"]').fill('1000,01')
      await Promise.all([page.waitForEvent('load'), form.locator('button[type="submit"]').first().click()])
      equal(await page.locator('#in-value-wrong').count(), 1)
    },
    'the value of an open code': async page => {
      await submitSignIn(page, { email: ours.email, password: PASSWORD })
      await readOpenCode(page)
      equal(await page.locator('input[name="value"]').count(), 1)
    },
    'a code that was paid': async page => {
      await submitSignIn(page, { email: ours.email, password: PASSWORD })
      await readOpenCode(page)
      await ours.sql(`update code_reading set status = 'PAID' where account_uuid = ?`, [ours.account])
      const form = page.locator('main form').first()
      await form.locator('input[name="value"]').fill('1,00')
      await Promise.all([page.waitForEvent('load'), form.locator('button[type="submit"]').first().click()])
      equal((await page.locator('main .note.bad').count()) > 0, true)
    },
    '404': async page => {
      await submitSignIn(page, { email: VIEWER, password: PASSWORD })
      equal((await page.goto('/dashboard/nothing'))!.status(), 404)
    },
    '403': async page => {
      await submitSignIn(page, { email: VIEWER, password: PASSWORD })
      equal((await page.goto('/dashboard/users'))!.status(), 403)
    },
    '500': async page => {
      await submitSignIn(page, { email: VIEWER, password: PASSWORD })
      const answer = await withoutTable('dispute', () => page.goto('/dashboard/disputes'))
      equal(answer!.status(), 500)
    },
    '413': async page => {
      await submitSignIn(page, { email: VIEWER, password: PASSWORD })
      await page.goto('/dashboard/profile')
      const answer = page.waitForResponse(one => one.request().method() === 'POST')
      const submitted = page.evaluate(`
        const form = document.querySelector('form[action$="/password"]')
        form.insertAdjacentHTML('beforeend', '<textarea name="more"></textarea>')
        form.elements.more.value = 'x'.repeat(200000)
        void setTimeout(() => form.submit())`)
      await Promise.all([page.waitForEvent('load'), submitted])
      equal((await answer).status(), 413)
    },
  }
}

/** Reads a static code without a value in the form that pays it. */
async function readOpenCode(page: Page): Promise<void> {
  await page.goto('/dashboard/transfers/new/code')
  const form = page.locator('main form').first()
  await form.locator('textarea[name="payload"]').fill(OPEN_CODE)
  await Promise.all([page.waitForEvent('load'), form.locator('button[type="submit"]').click()])
}

/** Opens the page of a form, fills it in and sends it. */
async function fillIn(page: Page, path: string | null, fields: Record<string, string>, form = 'main form') {
  if (path !== null) await page.goto(path)
  const shown = page.locator(form).first()
  for (const [name, value] of Object.entries(fields)) await shown.locator(`input[name="${name}"]`).fill(value)
  await Promise.all([page.waitForEvent('load'), shown.locator('button[type="submit"]').click()])
}
