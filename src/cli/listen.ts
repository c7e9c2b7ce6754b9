import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { InvalidArgumentError, Option } from 'commander'
import { EVENT_TYPES, eventRetentionStartOf } from '../domain/webhooks/webhook.ts'
import { isUsableSigningSecret } from '../webhook-client/signature.ts'
import { ApiCallError, type ApiClient } from './api-client.ts'
import { type ApiContext, type OperatorCommand, parsePastInstant } from './command-context.ts'
import { EventFeed } from './event-feed.ts'
import { EventForwarder } from './event-forwarder.ts'

type ListenOptions = { forwardTo: string; events?: string[]; secret?: string; since?: Date }

/** How often the list of events is read. */
const POLL_MS = 1_000

/** Registers `listen`, which forwards the events of an account to a receiver on this machine. */
export function registerListenCommand(program: OperatorCommand): void {
  program
    .command('listen')
    .requiredOption('--forward-to <url>', 'address of the receiver', parseReceiverUrl)
    .option('--events <types>', `only these, separated by commas: ${EVENT_TYPES.join(', ')}`, parseTypes)
    .option('--since <time>', 'first those since then that were missed, oldest first; ISO 8601', parseSince)
    .addOption(
      new Option('--secret <secret>', 'signing secret; where absent, one that belongs to the token')
        .env('TRILHO_WEBHOOK_SECRET')
        .argParser(parseSecret),
    )
    .addHelpText(
      'after',
      `
The API and the token are those of the npm start of this folder, unless options or variables name others.
An answer of the receiver is final. A receiver that cannot be reached is tried again for five minutes; later events wait.

  npm run trilho -- listen --forward-to http://localhost:4242/hooks --events PAYMENT,TRANSFER`,
    )
    .runByApi(listen)
}

async function listen(
  { api, printText }: ApiContext,
  { forwardTo, events = [], secret, since }: ListenOptions,
): Promise<void> {
  const printTimed = (line: string) => printText(`${new Date().toTimeString().slice(0, 8)}  ${line}`)
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  const signing = secret ?? deriveSigningSecret(api.token)
  const forwarder = new EventForwarder({
    url: forwardTo,
    secret: signing,
    print: printTimed,
    signal: stopping.signal,
  })
  const feed = new EventFeed(api, { types: events })
  await feed.begin(since)
  printText(`Forwarding ${events.join(', ') || 'all events'} of ${api.url} to ${forwardTo}`)
  printText(`Signing secret: ${signing}`)
  printText('Ready. Ctrl-C ends it.')
  let isApiReached = true
  while (!stopping.signal.aborted) {
    const found = await feed.readNew().catch(requireTemporary)
    if (found instanceof Error && isApiReached)
      printTimed(`The API does not answer, and is asked again: ${found.message}`)
    isApiReached = !(found instanceof Error)
    for (const event of found instanceof Error ? [] : found) await forwarder.forward(event)
    await sleep(POLL_MS, undefined, { signal: stopping.signal }).catch(() => {})
  }
  const { delivered, failed } = forwarder.counts
  printText(`Ended: ${delivered} delivered, ${failed} not accepted.`)
}

/** Returns an error after which the list can be read again; throws it where the API refuses, such as by 401. */
function requireTemporary(error: unknown): Error {
  if (!(error instanceof Error) || (error instanceof ApiCallError && !error.isTemporary)) throw error
  return error
}

/** Derives the signing secret of a token: the same at every start, and no one can compute the token from it. */
function deriveSigningSecret(token: ApiClient['token']): string {
  return `whsec_${createHmac('sha256', token).update('trilho listen').digest('base64')}`
}

function parseReceiverUrl(value: string): string {
  if (!URL.canParse(value) || !['http:', 'https:'].includes(new URL(value).protocol))
    throw new InvalidArgumentError('Not an http or https address.')
  return value
}

function parseTypes(value: string): string[] {
  const types = value.split(',').map(type => type.trim().toUpperCase())
  const unknown = types.filter(type => !EVENT_TYPES.some(known => known === type))
  if (unknown.length > 0) throw new InvalidArgumentError(`Not a type of event: ${unknown.join(', ')}.`)
  return types
}

function parseSince(value: string): Date {
  const since = parsePastInstant(value)
  if (since < eventRetentionStartOf(new Date()))
    throw new InvalidArgumentError('Events are kept for 30 days.')
  return since
}

function parseSecret(value: string): string {
  if (!isUsableSigningSecret(value))
    throw new InvalidArgumentError('Not a signing secret of at least 24 bytes.')
  return value
}
