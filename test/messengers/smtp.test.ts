import { afterEach, describe, expect, test } from '@jest/globals'
import { reserveFreePort } from '../../src/dev/os/ports.ts'
import type { OutboundMessage } from '../../src/messaging/messenger.ts'
import { createSmtpMessenger } from '../../src/messaging/smtp-messenger.ts'
import { createSelfSignedCertificate } from '../providers/support/certificate.ts'
import { mailBodyOf, startMailServer } from './support/mail-server.ts'

/** E-mail by nodemailer, taken by a real SMTP server. */

const FROM = 'Padaria Trilho <pix@padaria.example>'
const MAIL_MESSAGE: OutboundMessage = {
  id: '6f1c2c0e-6a5d-4d5e-9b53-0c1f4f7a9d21',
  to: "o'neil+pix@example.com",
  subject: 'Código',
  text: '123456 é o seu código.',
}

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const end of closers.splice(0)) await end()
})
async function serving(options: Parameters<typeof startMailServer>[0] = {}) {
  const server = await startMailServer(options)
  closers.push(server.close)
  return server
}
function writing(url: string, timeoutMs = 30_000) {
  const messenger = createSmtpMessenger({ url, from: FROM, timeoutMs })
  closers.push(messenger.close)
  return messenger
}

test('a letter reaches its address, and only that', async () => {
  const server = await serving()
  expect(await writing(server.url).send(MAIL_MESSAGE)).toEqual({ kind: 'sent' })
  const [letter, ...others] = server.letters
  expect([letter?.from, letter?.to, others]).toEqual(['pix@padaria.example', [MAIL_MESSAGE.to], []])
  expect(mailBodyOf(letter!).trim()).toBe(MAIL_MESSAGE.text)
  expect(letter!.text).toMatch(/^From: Padaria Trilho <pix@padaria\.example>/m)
})

test('a letter that is sent twice has one Message-ID', async () => {
  const server = await serving()
  const messenger = writing(server.url)
  await messenger.send(MAIL_MESSAGE)
  await messenger.send(MAIL_MESSAGE)
  const ids = server.letters.map(({ text }) => /^Message-ID: (.*)$/im.exec(text)?.[1])
  expect(ids).toEqual(Array(2).fill(`<${MAIL_MESSAGE.id}@trilho>`))
})

test.each([
  'a@example.com, b@example.com',
  'a@example.com\r\nBcc: b@example.com',
  'a@example.com> <b@example.com',
])('what names several addresses reaches no second one: %j', async to => {
  const server = await serving()
  await writing(server.url).send({ ...MAIL_MESSAGE, to })
  expect(server.letters.flatMap(letter => letter.to)).not.toContain('b@example.com')
})

describe('what a server says', () => {
  test.each([
    ['no such mailbox', { rcpt: 550 }, { kind: 'refused', code: 'smtp_550' }],
    ['the letter is unwanted', { data: 554 }, { kind: 'refused', code: 'smtp_554' }],
    ['the mailbox is busy', { rcpt: 450 }, { kind: 'again', code: 'smtp_450' }],
    ['the letter later', { data: 451 }, { kind: 'again', code: 'smtp_451' }],
    ['not from this sender: that is about us', { mail: 550 }, { kind: 'again', code: 'smtp_550' }],
  ])('%s', async (_, refusals, expected) => {
    const server = await serving()
    Object.assign(server.refusals, refusals)
    expect(await writing(server.url).send(MAIL_MESSAGE)).toEqual(expected)
    expect(server.letters).toEqual([])
  })

  test('of a log-in is about us: with the right one it takes the letter', async () => {
    const server = await serving({
      ...{ authOptional: false, allowInsecureAuth: true },
      onAuth: ({ username, password }, _, done) =>
        username === 'trilho' && password === 'p@ss' ? done(null, { user: 'trilho' }) : done(new Error('no')),
    })
    const as = (user: string) => writing(server.url.replace('//', `//${user}@`)).send(MAIL_MESSAGE)
    expect(await as('trilho:wrong')).toMatchObject({ kind: 'again' })
    expect(await as('trilho:p%40ss')).toEqual({ kind: 'sent' })
  })
})

describe('a server that is not there', () => {
  test('is tried again', async () => {
    const { port, release } = await reserveFreePort()
    await release()
    expect(await writing(`smtp://127.0.0.1:${port}`).send(MAIL_MESSAGE)).toMatchObject({ kind: 'again' })
  })

  test('or says nothing is not waited for longer than its limit', async () => {
    const server = await serving({ onConnect: () => {} })
    expect(await writing(server.url, 300).send(MAIL_MESSAGE)).toMatchObject({ kind: 'again' })
  })
})

test('a certificate that nobody vouches for gets no letter, unless the configuration says so', async () => {
  const { certificate: cert, key } = await createSelfSignedCertificate()
  for (const options of [{ secure: true }, { hideSTARTTLS: false }]) {
    const server = await serving({ ...options, cert, key })
    expect(await writing(server.url).send(MAIL_MESSAGE)).toMatchObject({ kind: 'again' })
    expect(server.letters).toEqual([])
    expect(await writing(`${server.url}?tls.rejectUnauthorized=false`).send(MAIL_MESSAGE)).toEqual({
      kind: 'sent',
    })
  }
})

test('no code of a failure quotes an address or a text', async () => {
  const server = await serving()
  server.refusals.rcpt = 550
  const said = [
    await writing(server.url).send(MAIL_MESSAGE),
    await writing('smtp://127.0.0.1:1').send(MAIL_MESSAGE),
  ]
  expect(JSON.stringify(said)).not.toMatch(/example|neil|123456/)
})
