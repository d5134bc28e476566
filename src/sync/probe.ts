import type { Address } from './address.ts';
import { connectionTo } from './connection.ts';
import { Service } from './service.ts';
import { type SyncRequest, Unanswered, Unreachable } from './transport.ts';
import { pause } from './watch.ts';

/** Longest wait for an answer, in milliseconds: somebody sits in front of it. */
const LONGEST_MS = 5000;

/**
 * Asks a service once who the caller is. No record is sent.
 * @returns why it could not be reached, as a sentence; undefined where it answered and lets the caller in
 * @throws SciaticaError for a service that does not let the caller in, that is none of ours or has another key
 */
export async function probe(address: Address, token: string | undefined): Promise<string | undefined> {
  const connection = connectionTo(address);
  const { host } = address.url;
  const send = async (request: SyncRequest) => {
    try {
      return await Promise.race([connection.send(request), silence(host)]);
    } catch (error) {
      throw error instanceof Unanswered ? new Unreachable(error.message) : error;
    }
  };
  try {
    await new Service(send, token, pause).me();
    return undefined;
  } catch (error) {
    if (error instanceof Unreachable) return error.message;
    throw error;
  } finally {
    connection.close();
  }
}

async function silence(host: string): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, LONGEST_MS).unref());
  throw new Unreachable(`${host} does not answer.`);
}
