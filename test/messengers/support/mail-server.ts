import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export type ReceivedMail = { from: string; to: string[]; text: string }
export type MailServer = Awaited<ReturnType<typeof startMailServer>>

/** A real SMTP server on a port of its own, and the messages it received. `refusal` is what it answers at a step instead. */
export async function startMailServer({ port = 0, ...options }: SMTPServerOptions & { port?: number } = {}) {
  const letters: ReceivedMail[] = []
  const refusals: { rcpt?: number; data?: number; mail?: number } = {}
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    onMailFrom: (_, __, done) => done(smtpError(refusals.mail)),
    onRcptTo: (_, __, done) => done(smtpError(refusals.rcpt)),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (refusals.data) return done(smtpError(refusals.data))
        const { mailFrom, rcptTo } = envelope
        letters.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString(),
        })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => {}) // Of a client that disconnects in the middle.
  await new Promise<void>(resolve => void server.listen(port, '127.0.0.1', resolve))
  const address = server.server.address() as { port: number }
  return {
    letters,
    refusals,
    port: address.port,
    url: `${options.secure ? 'smtps' : 'smtp'}://127.0.0.1:${address.port}`,
    close: () => new Promise<void>(resolve => server.close(resolve)),
  }
}

function smtpError(responseCode: number | undefined): Error | null {
  return responseCode === undefined ? null : Object.assign(new Error('no'), { responseCode })
}

/** The readable text of a message whose body is quoted-printable or base64. */
export function mailBodyOf({ text }: ReceivedMail): string {
  const [head = '', ...body] = text.split('\r\n\r\n')
  const rest = body.join('\r\n\r\n')
  if (/base64/i.test(head)) return Buffer.from(rest, 'base64').toString('utf8')
  const bytes = rest
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
