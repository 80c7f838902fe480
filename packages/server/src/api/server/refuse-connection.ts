/**
 * Responds to input that is not HTTP, is too long or never ends. There is no request yet, so the response is written by
 * hand.
 */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { AppError } from '../../core/app-error.ts'
import { PROBLEM_TYPE } from '../contract/values/problem.ts'
import { presentProblem } from '../present/present-problem.ts'

const NOT_HTTP = new AppError('invalid_request', 'This is not a valid HTTP request.')

const ERRORS: Readonly<Record<string, AppError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: new AppError('request_timeout', 'The request took too long to arrive.'),
  HPE_HEADER_OVERFLOW: new AppError('headers_too_large', 'The URL and the headers are larger than 16 KiB.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new AppError('payload_too_large', 'The extensions of a chunk are too large.'),
}

export function refuseConnection(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const problem = presentProblem(ERRORS[error.code ?? ''] ?? NOT_HTTP)
  const body = JSON.stringify(problem)
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `Content-Type: ${PROBLEM_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  socket.end(`${head.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`)
}
