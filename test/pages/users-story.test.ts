import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { Secret, TOTP } from 'otpauth'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { addUser } from '../../src/admin/users.ts'
import { dashboardRoutes } from '../../src/dashboard/routes.ts'
import {
  clickAndLoad,
  expectAccessible,
  followMenu,
  sayIn,
  unfoldMenu,
  WAYS,
} from '../browser/support/browser.ts'
import { findChromium, startBrowser } from '../browser/support/chromium.ts'
import { submitSignIn } from '../browser/support/sign-in.ts'
import { type ApiFixture, openApiFixture } from '../http/support/api-fixture.ts'

/** The stories of users in a browser: invited, with a role, removed; the own password, second factor and sessions. */

const PASSWORD = 'a long enough password'
const NEW_PASSWORD = 'another long password'
const executablePath = await findChromium()
const testWithBrowser = executablePath === null ? test.skip : test

let fixture: ApiFixture
let browser: Browser | undefined
let accountUuid: string
let users = 0

beforeAll(async () => {
  fixture = await openApiFixture([dashboardRoutes])
  accountUuid = await fixture.insertAccount()
  browser = executablePath === null ? undefined : await startBrowser(executablePath)
})
afterEach(async () => void (await Promise.all(browser?.contexts().map(context => context.close()) ?? [])))
afterAll(async () => {
  await browser?.close()
  await fixture.close()
})

async function open(options: BrowserContextOptions): Promise<Page> {
  const context = await browser!.newContext({ baseURL: fixture.server.url, ...options })
  return context.newPage()
}

/** An owner of the account, signed in, with the e-mail. */
async function signInOwner(options: BrowserContextOptions) {
  const email = `owner-${++users}@loja.test`
  await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid })
  const page = await open(options)
  await submitSignIn(page, { email, password: PASSWORD })
  return { page, email }
}

testWithBrowser.each(WAYS)(
  'a user is invited with a role, sees what it permits, gets another and is removed %s',
  async (_, look, _value) => {
    const say = sayIn(look)
    const email = `bia-${++users}@loja.test`
    // Whoever decides about users does so without JavaScript too.
    const javaScriptEnabled = look.locale === 'pt-BR'
    const { page: owner } = await signInOwner({ ...look, javaScriptEnabled })
    if (javaScriptEnabled) await followMenu(owner, say('Usuários', 'Users'))
    else await clickAndLoad(owner.getByRole('link', { name: 'Users', exact: true }))
    await owner.getByLabel('E-mail').fill(email)
    await owner.getByLabel(say('Perfil', 'Role')).selectOption({ label: say('Financeiro', 'Finance') })
    await clickAndLoad(owner.getByRole('button', { name: say('Criar o convite', 'Create the invitation') }))
    const link = await owner.getByLabel(say('Link do convite', 'Link of the invitation')).inputValue()
    await owner.getByRole('row', { name: new RegExp(`${email}.*${say('Aguardando', 'Waiting')}`) }).waitFor()

    const bia = await open(look)
    await bia.goto(new URL(link).pathname)
    await bia.getByText(say('O convite é para o perfil Financeiro', 'You are invited as Finance')).waitFor()
    await bia.getByLabel(say('Seu nome', 'Your name')).fill('Bia Souza')
    await bia.getByLabel(say('Senha', 'Password')).fill(PASSWORD)
    await expectAccessible(bia)
    await clickAndLoad(bia.getByRole('button', { name: say('Entrar na conta', 'Join the account') }))
    await bia.getByText(say('O seu usuário está pronto.', 'Your user is ready.')).waitFor()
    await followMenu(bia, say('Transferências', 'Transfers'))
    await bia
      .getByRole('link', { name: say('Nova transferência', 'New transfer') })
      .first()
      .waitFor()
    const forOthers = 'nav a[href="/dashboard/tokens"], nav a[href="/dashboard/users"]'
    expect(await bia.locator(forOthers).count()).toBe(0)
    expect((await bia.goto('/dashboard/tokens'))!.status()).toBe(403)
    // A refusal says which roles may.
    expect(await bia.locator('main').innerText()).toMatch(say('Desenvolvedor', 'Developer'))
    await expectAccessible(bia)
    const late = await open(look)
    expect((await late.goto(new URL(link).pathname))!.status()).toBe(410)
    await late.getByText(say('Este convite já foi usado', 'This invitation was used')).waitFor()

    await owner.goto('/dashboard/users')
    await clickAndLoad(owner.getByRole('link', { name: email }))
    await owner.getByLabel(say('Perfil', 'Role')).selectOption({ label: say('Leitor', 'Viewer') })
    await clickAndLoad(owner.getByRole('button', { name: say('Alterar o perfil', 'Change the role') }))
    await owner
      .getByRole('heading', {
        name: say('Alterar o perfil de Bia Souza?', 'Change the role of Bia Souza?'),
      })
      .waitFor()
    await clickAndLoad(owner.getByRole('button', { name: say('Alterar para Leitor', 'Change to Viewer') }))
    await owner.getByText(say('O perfil foi alterado.', 'The role was changed.')).waitFor()
    await bia.goto('/dashboard/transfers')
    expect(bia.url()).toContain('/dashboard/sign-in')
    await submitSignIn(bia, { email, password: PASSWORD })
    await followMenu(bia, say('Transferências', 'Transfers'))
    expect(await bia.getByRole('link', { name: say('Nova transferência', 'New transfer') }).count()).toBe(0)

    await clickAndLoad(owner.getByRole('button', { name: say('Remover o usuário', 'Remove the user') }))
    await clickAndLoad(owner.getByRole('button', { name: say('Remover Bia Souza', 'Remove Bia Souza') }))
    await owner.getByText(say('O usuário foi removido.', 'The user was removed.')).waitFor()
    await submitSignIn(bia, { email, password: PASSWORD, leadsTo: /\/dashboard\/sign-in$/ })
    await bia.getByRole('alert').waitFor()
    expect(await owner.getByRole('link', { name: email }).count()).toBe(0)
  },
)

testWithBrowser.each(WAYS)(
  'a user changes the password, adds a second factor, signs in with it and ends a session %s',
  async (_, look, _value) => {
    const say = sayIn(look)
    const { page, email } = await signInOwner(look)
    const other = await open(look)
    await submitSignIn(other, { email, password: PASSWORD })
    const present = page.getByLabel(say('Senha atual', 'Present password'))
    const renewed = page.getByLabel(say('Nova senha', 'New password'))
    const change = page.getByRole('button', { name: say('Alterar a senha', 'Change the password') })

    await unfoldMenu(page)
    await clickAndLoad(page.getByRole('link', { name: new RegExp(say('^Seu usuário', '^Your user')) }))
    await present.fill('a wrong password')
    await renewed.fill(NEW_PASSWORD)
    await clickAndLoad(change)
    expect(await page.evaluate('document.activeElement.id')).toBe('present-password')
    await expectAccessible(page)
    await present.fill(PASSWORD)
    await renewed.fill(NEW_PASSWORD)
    await clickAndLoad(change)
    await page.getByText(say('A senha foi alterada.', 'The password was changed.')).waitFor()
    await other.goto('/dashboard/charges')
    expect(other.url()).toContain('/dashboard/sign-in')

    await clickAndLoad(
      page.getByRole('link', { name: say('Ativar o segundo fator', 'Enable the second factor') }),
    )
    const picture = page.getByRole('img', {
      name: say('QR code para o autenticador', 'QR code for the authenticator'),
    })
    await picture.waitFor()
    await page.evaluate('document.querySelector("img.qr").decode()')
    await expectAccessible(page)
    const shown = await page.getByLabel(say('Segredo', 'Secret'), { exact: true }).inputValue()
    const totp = new TOTP({ secret: Secret.fromBase32(shown.replaceAll(' ', '')) })
    await page.getByLabel(say('Código', 'Code')).fill(totp.generate())
    await present.fill(NEW_PASSWORD)
    await clickAndLoad(page.getByRole('button', { name: say('Ativar', 'Enable'), exact: true }))
    await page.getByText(say('O segundo fator está ativo.', 'The second factor is enabled.')).waitFor()
    await expectAccessible(page)
    const codes = await page.getByLabel(say('Códigos de recuperação', 'Recovery codes')).inputValue()
    const [recovery] = codes.trim().split('\n')

    const signInBy = async (code: string) => {
      await submitSignIn(other, { email, password: NEW_PASSWORD, leadsTo: /\/sign-in\/code/ })
      await other.getByLabel(say('Código', 'Code')).fill(code)
      await other.getByRole('button', { name: say('Entrar', 'Sign in') }).click()
    }
    // The code of this step was used; that of the next one is accepted already.
    await signInBy(totp.generate({ timestamp: Date.now() + 30_000 }))
    await other.waitForURL(/\/dashboard$/)
    const signOut = other.getByRole('button', { name: say('Sair', 'Sign out') })
    await unfoldMenu(other)
    await clickAndLoad(signOut)
    await signInBy(recovery!)
    await other.waitForURL(/\/dashboard$/)
    const third = await open(look)
    await submitSignIn(third, { email, password: NEW_PASSWORD, leadsTo: /\/sign-in\/code/ })
    await third.getByLabel(say('Código', 'Code')).fill(recovery!)
    await third.getByRole('button', { name: say('Entrar', 'Sign in') }).click()
    await third.getByRole('alert').waitFor()
    await expectAccessible(third)

    await clickAndLoad(page.getByRole('link', { name: say('Guardei os códigos', 'I have kept the codes') }))
    await page.getByText(say('Códigos de recuperação não usados: 9', 'Unused recovery codes: 9')).waitFor()
    await expectAccessible(page)
    const sessions = page.getByRole('region', { name: say('Sessões', 'Sessions') })
    expect(await sessions.getByRole('row', { name: /Chrome/ }).count()).toBe(2)
    await clickAndLoad(
      sessions.getByRole('button', { name: new RegExp(say('^Encerrar .*Chrome', '^End .*Chrome')) }),
    )
    await page.getByText(say('A sessão foi encerrada.', 'The session has ended.')).waitFor()
    await other.goto('/dashboard/charges')
    expect(other.url()).toContain('/dashboard/sign-in')
  },
)
