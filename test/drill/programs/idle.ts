import { createServer } from 'node:http'

/** Replaces a worker: it is ready, and does nothing until it is stopped. */
createServer((_request, response) => response.end()).listen(
  Number(process.env.TRILHO_WORKER_PORT),
  '127.0.0.1',
)
