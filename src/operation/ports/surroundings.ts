/** What a home stands on, as the doctor sees it: folders, files, this machine, settings, and the network's servers. */
import type { StorePort, StoreReader } from './store.js';

/** A file or folder whose mode matters. */
export type FileFacts = {
  readonly path: string;
  readonly kind: 'folder' | 'file';
  /** Permission bits; null where the system has none. */
  readonly mode: number | null;
  /** True when who reads it can spend, or speak for others. */
  readonly isSecret: boolean;
};

/** A lock file that was there. */
export type LockFacts = {
  readonly path: string;
  /** Null when it does not say. */
  readonly pid: number | null;
  /** False when the process that took it is gone. */
  readonly isHeld: boolean;
};

/** What one Electrum server answers when it is asked by itself. */
export type ServerFacts = { readonly url: string } & (
  | { readonly kind: 'failed'; readonly reason: string }
  | {
      readonly kind: 'answered';
      /** Protocol version. */
      readonly protocol: string;
      readonly height: number;
      /** Unix seconds of the tip's header. */
      readonly tipTime: number;
      /** Milliseconds of one question and its answer. */
      readonly latencyMs: number;
      /** Names of the networks whose genesis block it shows; null when that is none that is known. */
      readonly serves: readonly string[] | null;
      /** Why the node behind it does not answer; null when it does. */
      readonly nodeFailure: string | null;
      /** False when it serves another network than this home works on. */
      readonly isOurs: boolean;
      /** Whether it has the block that this home trusts; null where there is none yet, or it does not say. */
      readonly hasCheckpoint: boolean | null;
      /** Hash of the block below all tips that the servers are compared at; null where there is nothing to compare. */
      readonly compared: { readonly height: number; readonly hash: string } | null;
    }
);

/** The block that a home trusts, to which all headers it takes in must link. */
export type CheckpointFacts = {
  readonly height: number;
  /** 64 hex digits. */
  readonly hash: string;
  /** Who named it: the operator, servers that agreed on it, or nobody, where it is the first block of a chain. */
  readonly by: 'operator' | 'servers' | 'first block';
  readonly servers: readonly string[];
  /** The lowest block whose links to it were checked. */
  readonly checkedDownTo: number;
};

/** A key of a settings file, or a variable, that is no setting. */
export type UnknownSetting = {
  readonly name: string;
  /** The file; null for a variable of the environment. */
  readonly file: string | null;
  /** The setting or variable that may have been meant. */
  readonly nearest: string | null;
  /** True when its name says that it holds a secret. */
  readonly isSecret: boolean;
};

/** What restoring the store has done. */
export type Restoration = {
  /** Where the files stand that were there before: renamed, not deleted. */
  readonly kept: readonly string[];
  /** The snapshot that it begins with. */
  readonly source: string;
  /** Commits of the journals that were made again on it. */
  readonly replayed: number;
  /** Lines of the journals that could not be read: commits that are lost. */
  readonly lostLines: number;
  /** Entries of logs that could not be read: what they told is lost. */
  readonly lostEntries: number;
};

/** Facts of a home that was opened as it is. They are as of the moment before its store and its chain were opened. */
export type Surroundings = {
  readonly home: {
    readonly path: string;
    readonly isThere: boolean;
    /** The folder of the network. */
    readonly folder: string;
    readonly isFolderThere: boolean;
    readonly isWritable: boolean;
    /** Bytes; null where there is no folder, or the system does not tell. */
    readonly freeBytes: number | null;
  };
  readonly runtime: {
    /** Version of Node. */
    readonly node: string;
    /** The range of versions that this program runs on. */
    readonly engines: string;
    readonly isSupported: boolean;
  };
  readonly files: readonly FileFacts[];
  /** Files with secrets that settings name, wherever they are: those that are there. */
  readonly secretFiles: readonly FileFacts[];
  /** Bytes; null where there is no such file. */
  readonly store: {
    readonly snapshotBytes: number | null;
    readonly journalBytes: number | null;
    /** Of all segments of logs; 0 without any. */
    readonly logBytes: number;
    /** The version of the layout that this program writes. */
    readonly schema: number;
  };
  readonly locks: readonly LockFacts[];
  /** The file of the passphrase; `failure` says why it cannot be read. Null when none is set. */
  readonly passphraseFile: { readonly path: string; readonly failure: string | null } | null;
  readonly unknownSettings: readonly UnknownSetting[];
  /**
   * Makes the store again of what can be read of its files, and opens it. Of several ways the one is taken whose store
   * has the fewest records that `damagedIn` names.
   * @throws store_damaged when nothing that can be read is better than what stands there: nothing has changed then
   */
  readonly restoreStore: (
    damagedIn: (reader: StoreReader) => Promise<readonly string[]>,
  ) => Promise<{ readonly restoration: Restoration; readonly store: StorePort }>;
  /** Why the store or the embedded chain could not be opened; null for what was. */
  readonly failures: { readonly store: unknown; readonly chain: unknown };
  /** Null where the chain is the embedded one. */
  readonly servers: {
    /** Every server that is configured, each asked by itself, all at once. Asks once. */
    readonly ask: () => Promise<readonly ServerFacts[]>;
    /** The URL of the server that questions go to now; null before the first. */
    readonly inUse: () => string | null;
    /** The block that this home trusts; null before it has looked at the chain. */
    readonly checkpoint: () => CheckpointFacts | null;
  } | null;
};
