import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createHttpClient, type HttpClient } from '../../../src/providers/http/client.ts'
import { handleArrivedEvents } from '../../support/event-loop.ts'
import { type ScriptedProvider, startScriptedProvider } from '../support/scripted-provider.ts'

/** Connections that are opened while the worker still commits the attempt. */

let scriptedProvider: ScriptedProvider
let http: HttpClient

beforeEach(async () => {
  scriptedProvider = await startScriptedProvider()
  scriptedProvider.scriptReplies('PUT /thing', { status: 200, json: {} })
  http = createHttpClient({
    baseUrl: scriptedProvider.url,
    tls: { ca: scriptedProvider.ca },
    timeoutMs: 10_000,
  })
})
afterEach(async () => {
  await http.close()
  await scriptedProvider.close()
})

const send = () => http.call({ method: 'PUT', path: '/thing', json: {}, hasOwnConnection: true })

/** A connection whose handshake outlasts the client's timeout is given up, and another one opened. */
async function preconnect(): Promise<void> {
  const connectionsBefore = scriptedProvider.countConnections()
  for (let waitedMs = 0; scriptedProvider.countConnections() === connectionsBefore; waitedMs += 5) {
    if (waitedMs % 3_000 === 0) http.preconnect()
    await sleep(5)
  }
}

test('a preopened connection carries the next fresh call, and no later one', async () => {
  await preconnect()
  expect(await send()).toMatchObject({ kind: 'answer', status: 200 })
  expect(await send()).toMatchObject({ kind: 'answer', status: 200 })
  expect(scriptedProvider.seen.map(({ connection }) => connection)).toEqual([1, 2])
})

test('a call whose connection is still being opened waits for it', async () => {
  http.preconnect()
  expect(await send()).toMatchObject({ kind: 'answer', status: 200 })
  expect(scriptedProvider.countConnections()).toBe(1)
})

test('concurrent calls take one connection each', async () => {
  await preconnect()
  await preconnect()
  await Promise.all([send(), send(), send()])
  expect(new Set(scriptedProvider.seen.map(({ connection }) => connection)).size).toBe(3)
})

test('a connection whose handshake fails reports that its call was never sent, and is not tried again for it', async () => {
  scriptedProvider.resetHandshakes(1)
  http.preconnect()
  await sleep(50)
  expect(await send()).toMatchObject({ kind: 'unreachable', code: 'connection_reset' })
  expect(scriptedProvider.seen).toEqual([])
  expect(await send()).toMatchObject({ kind: 'answer', status: 200 })
})

test('a connection closed by the provider has carried nothing: another one is opened', async () => {
  await preconnect()
  scriptedProvider.destroyConnections()
  await handleArrivedEvents()
  expect(await send()).toMatchObject({ kind: 'answer', status: 200 })
  expect(scriptedProvider.seen.map(({ connection }) => connection)).toEqual([2])
})

test('a connection without a call is closed', async () => {
  await preconnect()
  while (scriptedProvider.countOpenConnections() > 0) await sleep(50)
  expect(await send()).toMatchObject({ kind: 'answer', status: 200 })
  expect(scriptedProvider.seen.map(({ connection }) => connection)).toEqual([2])
})

test('a closed client leaves no connection open', async () => {
  await preconnect()
  await http.close()
  while (scriptedProvider.countOpenConnections() > 0) await sleep(5)
})
