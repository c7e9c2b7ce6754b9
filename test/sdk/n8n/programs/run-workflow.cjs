/**
 * Runs a workflow of one node by n8n's own engine, from a folder in which n8n-core and the node are installed. Reads
 * `{ parameters, credentials, items, continueOnFail }` from stdin and prints `{ status, error, items }`, or the
 * description of the node where there is no input.
 */
const { createRequire } = require('node:module')
const { text } = require('node:stream/consumers')

const load = createRequire(`${process.cwd()}/package.json`)
load('reflect-metadata')
const { Workflow, createRunExecutionData } = load('n8n-workflow')
const { PackageDirectoryLoader, WorkflowExecute, ExecutionLifecycleHooks } = load('n8n-core')

async function main() {
  const loader = new PackageDirectoryLoader(`${process.cwd()}/node_modules/n8n-nodes-trilho`)
  await loader.loadAll()
  const { type } = loader.getNode('trilho')
  const input = JSON.parse((await text(process.stdin)) || 'null')
  if (!input)
    return { description: type.description, credentials: loader.getCredential('trilhoApi').type.properties }
  const nodeTypes = {
    getByName: () => type,
    getByNameAndVersion: () => type,
    getKnownTypes: () => ({}),
  }
  const node = {
    id: '1',
    name: 'Trilho',
    type: 'n8n-nodes-trilho.trilho',
    typeVersion: 1,
    position: [0, 0],
    parameters: input.parameters,
    credentials: { trilhoApi: { id: '1', name: 'test' } },
    ...(input.continueOnFail && { onError: 'continueRegularOutput' }),
  }
  const workflow = new Workflow({ id: '1', nodes: [node], connections: {}, active: false, nodeTypes })
  const mode = 'trigger'
  const additionalData = {
    credentialsHelper: {
      getDecrypted: async () => input.credentials,
      isCredentialUsableByNode: () => true,
      getParentTypes: () => [],
    },
    hooks: new ExecutionLifecycleHooks(mode, '1', { id: '1' }),
    executionId: '1',
    webhookWaitingBaseUrl: 'http://127.0.0.1/wait',
    formWaitingBaseUrl: 'http://127.0.0.1/form',
    currentNodeParameters: undefined,
    variables: {},
    externalSecretsProxy: {},
    setExecutionStatus: () => {},
    sendDataToUI: () => {},
    logAiEvent: () => {},
  }
  const data = createRunExecutionData({
    executionData: {
      nodeExecutionStack: [{ node, data: { main: [input.items.map(json => ({ json }))] }, source: null }],
    },
  })
  const { data: outcome, status } = await new WorkflowExecute(
    additionalData,
    mode,
    data,
  ).processRunExecutionData(workflow)
  const { error, runData } = outcome.resultData
  return {
    status,
    error: error && { message: error.message, description: error.description },
    items: runData.Trilho?.[0]?.data?.main?.[0] ?? [],
  }
}

main().then(
  result => {
    process.stdout.write(`\nRESULT ${JSON.stringify(result)}\n`)
    process.exit(0)
  },
  error => {
    process.stderr.write(`${error.stack}\n`)
    process.exit(1)
  },
)
