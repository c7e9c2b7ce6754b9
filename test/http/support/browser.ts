import { type ApiResponse, repeatWhileUnavailable } from './api-fixture.ts'

/** A browser for tests: it keeps cookies, of one path by `name path`, follows no redirect by itself, and fills in forms with their page's values. */
export function createBrowser(
  { server }: { server: { url: string } },
  { language = 'pt-BR' }: { language?: string } = {},
) {
  const cookies = new Map<string, string>()
  const listCookies = (path: string) =>
    [...cookies].flatMap(([key, value]) => {
      const [name, cookiePath = '/'] = key.split(' ')
      return path.startsWith(cookiePath) ? `${name}=${value}` : []
    })

  async function call(method: string, path: string, sent: SentRequest = {}) {
    const answer = await fetch(server.url + path, {
      method,
      redirect: 'manual',
      headers: {
        cookie: listCookies(path).join('; '),
        'accept-language': language,
        ...(sent.form && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...sent.headers,
      },
      ...(sent.form && { body: String(new URLSearchParams(sent.form)) }),
      ...(sent.multipart && { body: sent.multipart }),
    })
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name, value, cookiePath] = /^([^=]+)=([^;]*); path=([^;]*)/.exec(cookie)!
      const key = cookiePath === '/' ? name! : `${name} ${cookiePath}`
      if (value === '') cookies.delete(key)
      else cookies.set(key, value!)
    }
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, text, body: text } satisfies ApiResponse
  }

  const get = (path: string, headers?: HeaderFields) => call('GET', path, { ...(headers && { headers }) })
  /** Sends a form with the token of its page. */
  async function send(path: string, form: FormFields = {}, { on = path }: { on?: string } = {}) {
    const page = await get(on)
    return call('POST', path, { form: { _csrf: hiddenFieldOf(page.text, '_csrf') ?? '', ...form } })
  }
  /** Sends a form, and the confirmation that its page asks for. */
  async function confirm(path: string, form: FormFields = {}, { on = path }: { on?: string } = {}) {
    const asked = await send(path, form, { on })
    if (hiddenFieldOf(asked.text, 'confirmed') === undefined) return asked
    return call('POST', path, { form: hiddenFieldsOf(asked.text) })
  }
  return {
    cookies,
    call,
    get,
    send,
    confirm,
    /** Repeated while it is 503: comparing a password takes so long that a busy machine may not do it in time. */
    signIn: (email: string, password: string) =>
      repeatWhileUnavailable(() =>
        send('/dashboard/sign-in', { email, password, next: '' }, { on: '/dashboard/sign-in' }),
      ),
  }
}

type SentRequest = { form?: FormFields; multipart?: FormData; headers?: HeaderFields }
type FormFields = Record<string, string>
type HeaderFields = Record<string, string>

/** The value of a hidden field on a page. */
export function hiddenFieldOf(text: string, name: string): string | undefined {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1]
}

/** The hidden fields of the form of a confirmation page. */
export function hiddenFieldsOf(text: string): Record<string, string> {
  const form = text.slice(text.indexOf('class="summary"'))
  const fields = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)
  return Object.fromEntries(Array.from(fields, ([, name, value]) => [name!, unescapeHtml(value!)]))
}

export function unescapeHtml(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}
