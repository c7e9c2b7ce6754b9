import { randomUUID } from 'node:crypto'
import { addUser } from '../../../src/admin/users.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import type { Provider } from '../../../src/providers/port.ts'
import type { ProviderRegistry } from '../../../src/providers/registry.ts'
import type { TransferInputDetails } from '../../../src/workflows/contracts/transfers.ts'
import { type ApiFixture, openApiFixture } from './api-fixture.ts'
import { createBrowser, hiddenFieldsOf } from './browser.ts'
import { PASSWORD } from './full-account.ts'
import { createSilentClient } from './silent-temporal.ts'

/** The forms of a transfer in a dashboard whose provider is scripted, and whose Temporal answers nothing. */

export type ReadPage = { status: number; text: string }
export type TransferForms = Awaited<ReturnType<typeof openTransferForms>>

/** Opens the dashboard. `provider`: the calls that the forms make; it is one for all connections. */
export async function openTransferForms(provider: Partial<Provider>) {
  const starts: string[] = []
  const providers = { providerFor: () => provider } as unknown as ProviderRegistry
  const fixture = await openApiFixture(
    [dashboardRoutes],
    {},
    async () => createSilentClient((_name, sent) => starts.push(sent)),
    { providers },
  )
  return {
    fixture,
    /** What was sent to Temporal. */
    starts,
    /** The sealed details of the transfer that was ordered, and its value. */
    readOrder() {
      const sent = starts.find(one => one.includes('"details"'))!
      const [, details] = /"details":"([^"]+)"/.exec(sent)!
      const [, valueCents] = /"valueCents":(\d+)/.exec(sent)!
      const opened = fixture.dependencies.sealer.open<TransferInputDetails>(details!)
      return { ...opened, valueCents: Number(valueCents) }
    },
    /** Signs a user of an account of its own in. */
    signIn: (options: { dialect?: 'woovi' | 'efi'; language?: string } = {}) => signIn(fixture, options),
  }
}

async function signIn(
  fixture: ApiFixture,
  { dialect = 'woovi', language = 'pt-BR' }: { dialect?: 'woovi' | 'efi'; language?: string },
) {
  const account = await fixture.insertAccount()
  const connection = await fixture.insertConnection(account, { dialect, provider: 'PROVIDER_B' })
  await fixture.replaceDefaultProviders(account, [connection])
  const email = `${randomUUID()}@trilho.test`
  await addUser(fixture.orm.em.fork(), { email, password: PASSWORD, accountUuid: account })
  const browser = createBrowser(fixture, { language })
  await browser.signIn(email, PASSWORD)
  return {
    account,
    connection,
    email,
    browser,
    /** Sends the first step of the form on a page. */
    begin: async (on: string, path: string, fields: Record<string, string>) =>
      readPage(await browser.send(path, { mode: 'test', ...fields }, { on })),
    /** Sends the second step as its page has it; returns the review. */
    review: async (on: string, page: ReadPage, fields: Record<string, string> = {}) =>
      readPage(await browser.call('POST', on, { form: { ...hiddenFieldsOfForm(page.text), ...fields } })),
    confirm: async (on: string, page: ReadPage) =>
      readPage(await browser.call('POST', on, { form: hiddenFieldsOf(page.text) })),
  }
}

const readPage = ({ status, text }: ReadPage): ReadPage => ({ status, text: text.replaceAll('\u00a0', ' ') })

/** The hidden fields of the form of a step. */
export function hiddenFieldsOfForm(text: string): Record<string, string> {
  const form = text.slice(text.indexOf('<form class="sheet"'))
  return Object.fromEntries(
    Array.from(form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g), match => [
      match[1]!,
      match[2]!,
    ]),
  )
}
