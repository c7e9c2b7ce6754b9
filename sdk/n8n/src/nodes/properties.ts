import type { OfferedOperation } from '@trilho/sdk/operations'
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow'

/** The parameters of the node, made of the operations; nothing here names an operation. */

/** Describes the choice of an operation by its noun, and what each of them takes. */
export function describeProperties(operations: OfferedOperation[]): INodeProperties[] {
  const tags = [...new Set(operations.map(({ tag }) => tag))]
  const of = (tag: string) => operations.filter(operation => operation.tag === tag)
  return [
    {
      displayName: 'Resource',
      name: 'resource',
      type: 'options',
      noDataExpression: true,
      options: tags.map(tag => ({ name: tag, value: tag })),
      default: tags[0] ?? '',
    },
    ...tags.map(
      (tag): INodeProperties => ({
        displayName: 'Operation',
        name: 'operation',
        type: 'options',
        noDataExpression: true,
        displayOptions: { show: { resource: [tag] } },
        options: of(tag).map(describeOption),
        default: of(tag).find(({ access }) => access === 'read')?.id ?? of(tag)[0]?.id ?? '',
      }),
    ),
    ...operations.flatMap(describeArguments),
  ]
}

/** The name of the parameter of a value of a path: `uuid` of two operations are two parameters. */
export function namePathParameter(name: string): string {
  return `path_${name}`
}

function describeOption({ id, summary, access }: OfferedOperation): INodePropertyOptions {
  return {
    name: summary,
    value: id,
    action: summary,
    description: access === 'read' ? '' : `The credential must allow ${access}`,
  }
}

function describeArguments({ id, tag, parameters, body, isKeyed }: OfferedOperation): INodeProperties[] {
  const displayOptions = { show: { resource: [tag], operation: [id] } }
  const path = parameters.filter(one => one.in === 'path')
  const query = parameters.filter(one => one.in === 'query')
  const properties: INodeProperties[] = path.map(({ name }) => ({
    displayName: name,
    name: namePathParameter(name),
    type: 'string',
    default: '',
    required: true,
    displayOptions,
  }))
  if (query.length > 0)
    properties.push({
      displayName: 'Filters',
      name: 'filters',
      type: 'collection',
      placeholder: 'Add Filter',
      default: {},
      displayOptions,
      options: query.map(({ name, schema }) => ({
        displayName: name,
        name,
        type: 'string',
        default: '',
        description: (schema as { description?: string }).description ?? '',
      })),
    })
  if (body)
    properties.push({
      displayName: 'Body',
      name: 'body',
      type: 'json',
      default: '',
      required: true,
      displayOptions,
      description: `JSON, for example ${JSON.stringify(body.example ?? {})}`,
    })
  if (isKeyed)
    properties.push({
      displayName: 'Idempotency Key',
      name: 'idempotencyKey',
      type: 'string',
      default: '',
      required: true,
      placeholder: '={{ $json.order_id }}',
      displayOptions,
      description:
        'Names this one operation, by data of the item such as the number of its order. The same key never executes it twice, also when the workflow runs again; do not use the id of the execution or a random value',
    })
  return properties
}
