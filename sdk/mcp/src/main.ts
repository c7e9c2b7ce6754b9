#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { Trilho } from '@trilho/sdk'
import { parseAccesses } from '@trilho/sdk/operations'
import { createMcpServer } from './server.ts'

/** `trilho-mcp`: serves the operations of an account as tools over stdin and stdout. */

/** An answer of a provider may take seconds; clients of MCP give a call a minute. */
const DEADLINE_MS = 45_000

try {
  const { values } = parseArgs({ options: { allow: { type: 'string', default: '' } } })
  const { TRILHO_TOKEN: token = '' } = process.env
  const trilho = new Trilho({ token, retries: { deadlineMs: DEADLINE_MS } })
  const server = createMcpServer(trilho, { token, accesses: parseAccesses(values.allow) })
  await server.connect(new StdioServerTransport())
} catch (error) {
  process.stderr.write(`trilho-mcp: ${(error as Error).message}\n`)
  process.exitCode = 1
}
