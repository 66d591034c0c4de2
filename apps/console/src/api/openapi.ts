// Written by `npm run console:types`, of the OpenAPI document that a daemon answers at /api/openapi.json.
export interface paths {
    readonly "/adoptions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Adoptions
         * @description Needs the role viewer. A token limited to programs is answered what is of them.
         */
        readonly get: operations["get-adoptions"];
        readonly put?: never;
        /**
         * Adoptions: begin one
         * @description Needs the role operator. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-adoptions"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/adoptions/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Adoptions: how far one is
         * @description Needs the role viewer. To a token limited to programs nothing else is there.
         */
        readonly get: operations["get-adoptions-id"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/adoptions/{id}/lines": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Adoptions: what one found
         * @description Needs the role viewer. To a token limited to programs nothing else is there.
         */
        readonly get: operations["get-adoptions-id-lines"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/adoptions/{id}/pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Adoptions: pause one
         * @description Needs the role operator. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-adoptions-id-pause"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/adoptions/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Adoptions: resume one
         * @description Needs the role operator. What an admin has asked for takes an admin. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-adoptions-id-resume"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/adoptions/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Adoptions: cancel one
         * @description Needs the role operator. What an admin has asked for takes an admin. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-adoptions-id-cancel"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/audit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Who did what
         * @description Needs the role viewer. A token limited to programs is answered what is of them.
         */
        readonly get: operations["get-audit"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/audit/chain": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The audit as a hash chain, from its start
         * @description Needs the role viewer. Not for tokens limited to programs.
         */
        readonly get: operations["get-audit-chain"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/contracts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** JSON Schemas and AsyncAPI of the topics */
        readonly get: operations["get-contracts"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/rereadings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Rereadings
         * @description Needs the role viewer. A token limited to programs is answered what is of them.
         */
        readonly get: operations["get-rereadings"];
        readonly put?: never;
        /**
         * Rereadings: begin one
         * @description Needs the role operator. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-rereadings"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/rereadings/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Rereadings: how far one is
         * @description Needs the role viewer. To a token limited to programs nothing else is there.
         */
        readonly get: operations["get-rereadings-id"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/rereadings/{id}/lines": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Rereadings: what one found
         * @description Needs the role viewer. To a token limited to programs nothing else is there.
         */
        readonly get: operations["get-rereadings-id-lines"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/rereadings/{id}/pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Rereadings: pause one
         * @description Needs the role operator. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-rereadings-id-pause"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/rereadings/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Rereadings: resume one
         * @description Needs the role operator. What an admin has asked for takes an admin. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-rereadings-id-resume"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/rereadings/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Rereadings: cancel one
         * @description Needs the role operator. What an admin has asked for takes an admin. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-rereadings-id-cancel"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/schedules": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Schedules
         * @description Needs the role viewer. A token limited to programs is answered what is of them.
         */
        readonly get: operations["get-schedules"];
        readonly put?: never;
        /**
         * Schedules: begin one
         * @description Needs the role operator. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-schedules"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/schedules/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Schedules: how far one is
         * @description Needs the role viewer. To a token limited to programs nothing else is there.
         */
        readonly get: operations["get-schedules-id"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/schedules/{id}/lines": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Schedules: what one found
         * @description Needs the role viewer. To a token limited to programs nothing else is there.
         */
        readonly get: operations["get-schedules-id-lines"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/schedules/{id}/pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Schedules: pause one
         * @description Needs the role operator. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-schedules-id-pause"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/schedules/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Schedules: resume one
         * @description Needs the role operator. What an admin has asked for takes an admin. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-schedules-id-resume"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/schedules/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Schedules: cancel one
         * @description Needs the role operator. What an admin has asked for takes an admin. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-schedules-id-cancel"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/erasures": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Erasures
         * @description Needs the role viewer. A token limited to programs is answered what is of them.
         */
        readonly get: operations["get-erasures"];
        readonly put?: never;
        /**
         * Erasures: begin one
         * @description Needs the role admin. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-erasures"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/erasures/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Erasures: how far one is
         * @description Needs the role viewer. To a token limited to programs nothing else is there.
         */
        readonly get: operations["get-erasures-id"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/erasures/{id}/lines": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Erasures: what one found
         * @description Needs the role viewer. To a token limited to programs nothing else is there.
         */
        readonly get: operations["get-erasures-id-lines"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/erasures/{id}/pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Erasures: pause one
         * @description Needs the role operator. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-erasures-id-pause"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/erasures/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Erasures: resume one
         * @description Needs the role operator. What an admin has asked for takes an admin. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-erasures-id-resume"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/erasures/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Erasures: cancel one
         * @description Needs the role operator. What an admin has asked for takes an admin. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-erasures-id-cancel"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/exports": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Exports
         * @description Needs the role viewer. A token limited to programs is answered what is of them.
         */
        readonly get: operations["get-exports"];
        readonly put?: never;
        /**
         * Exports: begin one
         * @description Needs the role operator. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-exports"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/exports/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Exports: how far one is
         * @description Needs the role viewer. To a token limited to programs nothing else is there.
         */
        readonly get: operations["get-exports-id"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/exports/{id}/lines": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Exports: what one found
         * @description Needs the role viewer. To a token limited to programs nothing else is there.
         */
        readonly get: operations["get-exports-id-lines"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/exports/{id}/pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Exports: pause one
         * @description Needs the role operator. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-exports-id-pause"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/exports/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Exports: resume one
         * @description Needs the role operator. What an admin has asked for takes an admin. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-exports-id-resume"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/exports/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Exports: cancel one
         * @description Needs the role operator. What an admin has asked for takes an admin. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-exports-id-cancel"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/dialect": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What is assumed of the partner
         * @description Needs the role viewer. Not for tokens limited to programs.
         */
        readonly get: operations["get-dialect"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/doctor": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What is wrong, and how to mend it
         * @description Needs the role viewer. Not for tokens limited to programs.
         */
        readonly get: operations["get-doctor"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/groups": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Failures by cause
         * @description Needs the role viewer. A token limited to programs is answered what is of them.
         */
        readonly get: operations["get-groups"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/intents": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Intents
         * @description Needs the role viewer. A token limited to programs is answered what is of them.
         */
        readonly get: operations["get-intents"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/intents/count": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * How many there are
         * @description Needs the role viewer. A token limited to programs is answered what is of them.
         */
        readonly get: operations["get-intents-count"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/intents/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * One intent with its whole story
         * @description Needs the role viewer. To a token limited to programs nothing else is there.
         */
        readonly get: operations["get-intents-id"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/intents/{id}/replay": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send a parked intent once more
         * @description Needs the role operator. `force` takes an admin. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-intents-id-replay"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/intents/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Do not send it
         * @description Needs the role operator. What an admin has corrected, taken in or forced, as only an admin may, takes an admin. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-intents-id-cancel"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/intents/{id}/correct": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Give it another content
         * @description Needs the role operator. A correction of anything but the time, the person, texts and attributes that identify nothing takes an admin: the problem names the paths. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-intents-id-correct"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/intents/{id}/resolve": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Say what became of it
         * @description Needs the role operator. `force` takes an admin. As delivered: What an admin has corrected, taken in or forced, as only an admin may, takes an admin. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-intents-id-resolve"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/members/{program}/{memberId}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * One member
         * @description Needs the role viewer. To a token limited to programs nothing else is there.
         */
        readonly get: operations["get-members-program-memberId"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/members/{program}/{memberId}/partner": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What the partner says of a member now, beside what we know
         * @description Needs the role operator. To a token limited to programs nothing else is there.
         */
        readonly get: operations["get-members-program-memberId-partner"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/members/{program}/{memberId}/unmask": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * One member with everything personal
         * @description Needs the role admin. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-members-program-memberId-unmask"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/passes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The partner's own listing of a program's passes
         * @description Needs the role operator. To a token limited to programs nothing else is there.
         */
        readonly get: operations["get-passes"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/pauses": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What is paused
         * @description Needs the role viewer. A token limited to programs is answered what is of them.
         */
        readonly get: operations["get-pauses"];
        readonly put?: never;
        /**
         * Pause
         * @description Needs the role operator. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-pauses"];
        /**
         * Let it go on
         * @description Needs the role operator. To a token limited to programs nothing else is there.
         */
        readonly delete: operations["delete-pauses"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/programs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The programs file as it was read, and what changed
         * @description Needs the role viewer. Not for tokens limited to programs.
         */
        readonly get: operations["get-programs"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/provisionings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Provisioning
         * @description Needs the role viewer. Not for tokens limited to programs.
         */
        readonly get: operations["get-provisionings"];
        readonly put?: never;
        /**
         * Provisioning: begin one
         * @description Needs the role operator. Not for tokens limited to programs.
         */
        readonly post: operations["post-provisionings"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/provisionings/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Provisioning: how far one is
         * @description Needs the role viewer. Not for tokens limited to programs.
         */
        readonly get: operations["get-provisionings-id"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/provisionings/{id}/lines": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Provisioning: what one found
         * @description Needs the role viewer. Not for tokens limited to programs.
         */
        readonly get: operations["get-provisionings-id-lines"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/provisionings/{id}/pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Provisioning: pause one
         * @description Needs the role operator. Not for tokens limited to programs.
         */
        readonly post: operations["post-provisionings-id-pause"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/provisionings/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Provisioning: resume one
         * @description Needs the role operator. What an admin has asked for takes an admin. Not for tokens limited to programs.
         */
        readonly post: operations["post-provisionings-id-resume"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/provisionings/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Provisioning: cancel one
         * @description Needs the role operator. What an admin has asked for takes an admin. Not for tokens limited to programs.
         */
        readonly post: operations["post-provisionings-id-cancel"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/provisionings/recorded": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What we set up at the partner
         * @description Needs the role viewer. Not for tokens limited to programs.
         */
        readonly get: operations["get-provisionings-recorded"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/provisionings/steps/{stepId}/resolve": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Say what became of a call in doubt
         * @description Needs the role operator. Not for tokens limited to programs.
         */
        readonly post: operations["post-provisionings-steps-stepId-resolve"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/reconciliations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reconciliations
         * @description Needs the role viewer. A token limited to programs is answered what is of them.
         */
        readonly get: operations["get-reconciliations"];
        readonly put?: never;
        /**
         * Reconciliations: begin one
         * @description Needs the role operator. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-reconciliations"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/reconciliations/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reconciliations: how far one is
         * @description Needs the role viewer. To a token limited to programs nothing else is there.
         */
        readonly get: operations["get-reconciliations-id"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/reconciliations/{id}/lines": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Reconciliations: what one found
         * @description Needs the role viewer. To a token limited to programs nothing else is there.
         */
        readonly get: operations["get-reconciliations-id-lines"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/reconciliations/{id}/pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Reconciliations: pause one
         * @description Needs the role operator. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-reconciliations-id-pause"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/reconciliations/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Reconciliations: resume one
         * @description Needs the role operator. What an admin has asked for takes an admin. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-reconciliations-id-resume"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/reconciliations/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Reconciliations: cancel one
         * @description Needs the role operator. What an admin has asked for takes an admin. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-reconciliations-id-cancel"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/quarantine": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Records set aside
         * @description Needs the role viewer. Not for tokens limited to programs.
         */
        readonly get: operations["get-quarantine"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/quarantine/count": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * How many are open, why, and who sent them
         * @description Needs the role viewer. Not for tokens limited to programs.
         */
        readonly get: operations["get-quarantine-count"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/quarantine/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * One of them
         * @description Needs the role viewer. Not for tokens limited to programs.
         */
        readonly get: operations["get-quarantine-id"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/quarantine/{id}/resubmit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Take one in after all
         * @description Needs the role operator. What erases a member takes an admin, and so does a correction of anything but time, order, person, texts, store, channel and attributes: the problem names the paths. Not for tokens limited to programs.
         */
        readonly post: operations["post-quarantine-id-resubmit"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/quarantine/{id}/discard": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Give one up
         * @description Needs the role operator. Not for tokens limited to programs.
         */
        readonly post: operations["post-quarantine-id-discard"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/quarantine/{id}/unmask": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * One with everything personal
         * @description Needs the role admin. Not for tokens limited to programs.
         */
        readonly post: operations["post-quarantine-id-unmask"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/quarantine/resubmit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Take many in after all
         * @description Needs the role operator. Records that erase a member take an admin; for others they count as failed. Not for tokens limited to programs.
         */
        readonly post: operations["post-quarantine-resubmit"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/quarantine/discard": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Give many up
         * @description Needs the role operator. Not for tokens limited to programs.
         */
        readonly post: operations["post-quarantine-discard"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/console": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** How people log in to the console */
        readonly get: operations["get-console"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/login-links/redeem": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** The token of a link that works once; only `dev` and the demo make some */
        readonly post: operations["post-login-links-redeem"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/me": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Who the token is, and what it allows
         * @description Needs the role viewer. A token limited to programs is answered what is of them.
         */
        readonly get: operations["get-me"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/reload": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Which programs file each process works by
         * @description Needs the role viewer. Not for tokens limited to programs.
         */
        readonly get: operations["get-reload"];
        readonly put?: never;
        /**
         * Read the programs file again, everywhere
         * @description Needs the role operator. Not for tokens limited to programs.
         */
        readonly post: operations["post-reload"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/replays": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Replay jobs
         * @description Needs the role viewer. A token limited to programs is answered what is of them.
         */
        readonly get: operations["get-replays"];
        readonly put?: never;
        /**
         * Send many once more
         * @description Needs the role operator. `force` takes an admin, and so does starting what an admin has planned. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-replays"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/replays/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * How far a replay is
         * @description Needs the role viewer. To a token limited to programs nothing else is there.
         */
        readonly get: operations["get-replays-id"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/replays/{id}/items": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What came of each item
         * @description Needs the role viewer. To a token limited to programs nothing else is there.
         */
        readonly get: operations["get-replays-id-items"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/series": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What happened over time
         * @description Needs the role viewer. A token limited to programs is answered what is of them.
         */
        readonly get: operations["get-series"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/stats": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * How things stand
         * @description Needs the role viewer. A token limited to programs is answered what is of them.
         */
        readonly get: operations["get-stats"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/stream": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What changes, as Server-Sent Events
         * @description Needs the role viewer. A token limited to programs is answered what is of them. Event `stats`: StatsView, as GET /stats answers, every 2 s. Event `action`: AuditEntry, as GET /audit lists them: what somebody has just done. Event `replay`: ReplayView, as GET /replays/{id} answers: one that has moved. Event `pause`: PauseList, as GET /pauses answers: something was paused, or goes on.
         */
        readonly get: operations["get-stream"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/replays/{id}/pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Pause a replay
         * @description Needs the role operator. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-replays-id-pause"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/replays/{id}/resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Let it go on
         * @description Needs the role operator. What an admin has asked for takes an admin. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-replays-id-resume"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/replays/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Send nothing more of it
         * @description Needs the role operator. What an admin has asked for takes an admin. To a token limited to programs nothing else is there.
         */
        readonly post: operations["post-replays-id-cancel"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/openapi.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** This document */
        readonly get: operations["get-api-openapi.json"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health/live": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Probe: work moves. 503 with what is wrong */
        readonly get: operations["get-health-live"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health/ready": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Probe: requests can be answered. 503 with what is wrong */
        readonly get: operations["get-health-ready"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health/startup": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Probe: the start is completed. 503 with what is wrong */
        readonly get: operations["get-health-startup"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/metrics": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Prometheus metrics
         * @description A token limited to programs is answered what is of them. OPS_METRICS may ask for a token of any role, or close it.
         */
        readonly get: operations["get-metrics"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: never;
    responses: {
        /** @description It was refused; nothing was changed. */
        readonly Problem: {
            headers: {
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/problem+json": {
                    /** @description `urn:loyaltyd:problem:` and a stable code. */
                    readonly type: string;
                    readonly title: string;
                    readonly status: number;
                    readonly detail?: string;
                    /** @description `urn:loyaltyd:request:` and the `x-request-id` of the answer. */
                    readonly instance: string;
                };
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly "get-adoptions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly id: string;
                            /** @enum {string} */
                            readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                            readonly program: string | null;
                            readonly request: {
                                readonly [key: string]: unknown;
                            };
                            readonly reason: string;
                            /** @enum {string} */
                            readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                            readonly progress: {
                                readonly [key: string]: number;
                            };
                            /** @description What came of it, at its end. */
                            readonly report: unknown;
                            /** @description Why its last turn, or all of it, failed. */
                            readonly error: string | null;
                            /** @description How many lines `GET …/{id}/lines` has. */
                            readonly lines: number;
                            /** Format: date-time */
                            readonly createdAt: string;
                            readonly createdBy: string;
                            readonly finishedAt: string | null;
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-adoptions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly id?: string;
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                    readonly program: string;
                    /**
                     * Format: date-time
                     * @description Only passes that changed at or after.
                     */
                    readonly updatedSince?: string;
                    /** @description Only passes of this status, such as ACTIVE. */
                    readonly status?: string;
                    /** @description Only passes of this tier, by the partner's id. */
                    readonly tier?: number;
                    /** @description Only passes of this template, by the partner's id. */
                    readonly template?: number;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-adoptions-id": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-adoptions-id-lines": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly [key: string]: unknown;
                        }[];
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-adoptions-id-pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-adoptions-id-resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-adoptions-id-cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-audit": {
        readonly parameters: {
            readonly query?: {
                readonly actor?: string;
                readonly action?: string;
                readonly memberId?: string;
                readonly from?: string;
                readonly to?: string;
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly id: number;
                            /** Format: date-time */
                            readonly at: string;
                            readonly actor: string;
                            /** @description Issuer and `sub` of the token, which do not change hands; null: it was one of OPS_TOKENS, or a job. */
                            readonly subject: string | null;
                            readonly address: string | null;
                            /** @description The `x-request-id` of the request. */
                            readonly requestId: string | null;
                            readonly action: string;
                            readonly reason: string;
                            readonly member: {
                                readonly program: string;
                                readonly memberId: string;
                            } | null;
                            /** @description The intent it was done to. */
                            readonly intent: string | null;
                            readonly detail: {
                                readonly [key: string]: unknown;
                            } | null;
                            /** @description Its number in the chain; null: it waits for its link. */
                            readonly link: number | null;
                        }[];
                        readonly nextCursor: string | null;
                        /** @description Null for a token limited to programs: it is made of what was done to all. */
                        readonly chain: {
                            /** @description The last link, `NO:DIGEST`; null: the chain is gone. */
                            readonly head: string | null;
                            /** @description Actions that wait for their link; counted up to 1,000. */
                            readonly waiting: number;
                        } | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-audit-chain": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            /** @description Dense. 0 is the start: actions up to its `actionId` are older than the chain. */
                            readonly no: number;
                            readonly actionId: string;
                            /** @description How the digest is taken of the one before and of the row. */
                            readonly form: number;
                            readonly digest: string;
                            /** @description The action as it is now; null: it is missing. */
                            readonly row: {
                                readonly [key: string]: string | null;
                            } | null;
                        }[];
                        /** @description Among the actions of these links; the first 100. */
                        readonly strays: readonly {
                            readonly actionId: string;
                            /**
                             * @description `unlinked`: there is such an action, and no link of it, nor does it wait for one. `missing`: the reverse.
                             * @enum {string}
                             */
                            readonly what: "unlinked" | "missing";
                        }[];
                        /** @description Actions that wait for their link; counted up to 1,000. */
                        readonly waiting: number;
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-contracts": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": unknown;
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-rereadings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly id: string;
                            /** @enum {string} */
                            readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                            readonly program: string | null;
                            readonly request: {
                                readonly [key: string]: unknown;
                            };
                            readonly reason: string;
                            /** @enum {string} */
                            readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                            readonly progress: {
                                readonly [key: string]: number;
                            };
                            /** @description What came of it, at its end. */
                            readonly report: unknown;
                            /** @description Why its last turn, or all of it, failed. */
                            readonly error: string | null;
                            /** @description How many lines `GET …/{id}/lines` has. */
                            readonly lines: number;
                            /** Format: date-time */
                            readonly createdAt: string;
                            readonly createdBy: string;
                            readonly finishedAt: string | null;
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-rereadings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly id?: string;
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                    readonly program: string;
                    /**
                     * @description Only says what would be settled.
                     * @default false
                     */
                    readonly dryRun?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-rereadings-id": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-rereadings-id-lines": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly [key: string]: unknown;
                        }[];
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-rereadings-id-pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-rereadings-id-resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-rereadings-id-cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-schedules": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly id: string;
                            /** @enum {string} */
                            readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                            readonly program: string | null;
                            readonly request: {
                                readonly [key: string]: unknown;
                            };
                            readonly reason: string;
                            /** @enum {string} */
                            readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                            readonly progress: {
                                readonly [key: string]: number;
                            };
                            /** @description What came of it, at its end. */
                            readonly report: unknown;
                            /** @description Why its last turn, or all of it, failed. */
                            readonly error: string | null;
                            /** @description How many lines `GET …/{id}/lines` has. */
                            readonly lines: number;
                            /** Format: date-time */
                            readonly createdAt: string;
                            readonly createdBy: string;
                            readonly finishedAt: string | null;
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-schedules": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly id?: string;
                    /** @description Kept for ever and shown to colleagues: nothing personal. */
                    readonly reason: string;
                    readonly program: string;
                    /** @description What the partner calls the schedule; by default after the job. */
                    readonly name?: string;
                    /** @description When: a time with its offset, or a local one with its IANA time zone. */
                    readonly at: string | {
                        readonly dateTime: string;
                        readonly timeZone: string;
                    };
                    /** @description Which passes; all of it must fit. Tier and template by the partner's ids. */
                    readonly select: {
                        readonly memberId?: string;
                        readonly tier?: number;
                        readonly template?: number;
                        readonly group?: string;
                        readonly status?: string;
                    };
                    /** @description What changes, where the dialect says where that goes. Without it the documented body alone is sent. */
                    readonly change?: {
                        readonly tier?: number;
                        readonly template?: number;
                        readonly group?: string;
                        readonly message?: string;
                        readonly points?: number;
                        readonly expiryDate?: string;
                    };
                    /**
                     * @description Only counts the passes, and says what would be sent.
                     * @default false
                     */
                    readonly dryRun?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-schedules-id": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-schedules-id-lines": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly [key: string]: unknown;
                        }[];
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-schedules-id-pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-schedules-id-resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-schedules-id-cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-erasures": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly id: string;
                            /** @enum {string} */
                            readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                            readonly program: string | null;
                            readonly request: {
                                readonly [key: string]: unknown;
                            };
                            readonly reason: string;
                            /** @enum {string} */
                            readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                            readonly progress: {
                                readonly [key: string]: number;
                            };
                            /** @description What came of it, at its end. */
                            readonly report: unknown;
                            /** @description Why its last turn, or all of it, failed. */
                            readonly error: string | null;
                            /** @description How many lines `GET …/{id}/lines` has. */
                            readonly lines: number;
                            /** Format: date-time */
                            readonly createdAt: string;
                            readonly createdBy: string;
                            readonly finishedAt: string | null;
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-erasures": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly id?: string;
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                    readonly program: string;
                    readonly memberId: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-erasures-id": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-erasures-id-lines": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly [key: string]: unknown;
                        }[];
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-erasures-id-pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-erasures-id-resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-erasures-id-cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-exports": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly id: string;
                            /** @enum {string} */
                            readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                            readonly program: string | null;
                            readonly request: {
                                readonly [key: string]: unknown;
                            };
                            readonly reason: string;
                            /** @enum {string} */
                            readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                            readonly progress: {
                                readonly [key: string]: number;
                            };
                            /** @description What came of it, at its end. */
                            readonly report: unknown;
                            /** @description Why its last turn, or all of it, failed. */
                            readonly error: string | null;
                            /** @description How many lines `GET …/{id}/lines` has. */
                            readonly lines: number;
                            /** Format: date-time */
                            readonly createdAt: string;
                            readonly createdBy: string;
                            readonly finishedAt: string | null;
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-exports": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    readonly id?: string;
                    /** @description Kept for ever and shown to colleagues: nothing personal. */
                    readonly reason?: string;
                    readonly program?: string;
                    /**
                     * Format: date-time
                     * @description Recorded at or after.
                     */
                    readonly from?: string;
                    /**
                     * Format: date-time
                     * @description Recorded before.
                     */
                    readonly to?: string;
                    /**
                     * @description Nothing is masked: needs a reason. Admin only, also for reading its lines; kept.
                     * @default false
                     */
                    readonly includePersonal?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-exports-id": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-exports-id-lines": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly ({
                            /** @constant */
                            readonly kind: "intent";
                            /** @description PROGRAM~MEMBER~SEQ, percent-encoded where needed. */
                            readonly id: string;
                            readonly program: string;
                            readonly memberId: string;
                            /** @description Counts a member's intents, from 1, without holes. */
                            readonly seq: number;
                            /** @description Counts what happened to a member. What an adoption told is counted, and not exported. */
                            readonly version: number;
                            /** @description Rises along a member; tells nothing between members. */
                            readonly position: number;
                            /** @description The person is erased: what was personal cannot be opened any more. */
                            readonly erased: boolean;
                            /** Format: date-time */
                            readonly recordedAt: string;
                            /** Format: date-time */
                            readonly occurredAt: string;
                            /**
                             * Format: date-time
                             * @description The timestamp of the record.
                             */
                            readonly brokerAt: string;
                            /** @enum {string} */
                            readonly operation: "issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update";
                            readonly eventType: string;
                            readonly source: string | null;
                            readonly storeId: string | null;
                            readonly purchaseId: string | null;
                            readonly amount: {
                                /** @description A sum beyond 2^53 is rounded to a float. */
                                readonly minor: number;
                                readonly currency: string;
                                /** @description How many digits of minor stand behind the decimal point: as the events say; of a sum the most of them. */
                                readonly digits: number;
                            } | null;
                            /** @description The purchase that a refund goes after. */
                            readonly waitsForSeq: number | null;
                            readonly cause: {
                                readonly topic: string;
                                readonly partition: number;
                                readonly offset: number;
                            };
                            /** @description Of the programs file that routed it. */
                            readonly programsHash: string;
                            /** @description What the partner was to be sent; null once erased. Masked unless asked for otherwise. */
                            readonly command: unknown;
                            /** @description The record as it arrived; null once erased. Masked unless asked for otherwise. */
                            readonly sourceRecord: {
                                readonly headers: string;
                                readonly value: string;
                            } | null;
                        } | {
                            /** @constant */
                            readonly kind: "event";
                            /** @description The `id` of its intent. */
                            readonly intent: string;
                            /** @description Counts what happened to a member. What an adoption told is counted, and not exported. */
                            readonly version: number;
                            /** @description Rises along a member; tells nothing between members. */
                            readonly position: number;
                            /** @description The person is erased: what was personal cannot be opened any more. */
                            readonly erased: boolean;
                            readonly type: string;
                            /** Format: date-time */
                            readonly at: string;
                            readonly attempt: number | null;
                            /** @description Times in it are epoch milliseconds. */
                            readonly data: {
                                readonly [key: string]: unknown;
                            };
                            /** @description What was sent and answered; null where there was nothing, and once erased. Masked unless asked for otherwise. */
                            readonly evidence: unknown;
                        })[];
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-exports-id-pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-exports-id-resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-exports-id-cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-dialect": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Every entry. */
                        readonly entries: readonly {
                            readonly path: string;
                            readonly description: string;
                            readonly default: unknown;
                            /** @description By `WALLET_DIALECT`; holds for each program that says nothing else. */
                            readonly value: unknown;
                            readonly isDefault: boolean;
                        }[];
                        /** @description Each program, with what it says otherwise. */
                        readonly programs: readonly {
                            readonly program: string;
                            readonly differs: readonly {
                                readonly path: string;
                                readonly value: unknown;
                            }[];
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-doctor": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Nothing failed; there may be warnings. */
                        readonly ok: boolean;
                        /** Format: date-time */
                        readonly checkedAt: string;
                        readonly durationMs: number;
                        readonly checks: readonly {
                            /** @description Stable, such as `postgres.settings`; ends with the topic, program or variable it is about. */
                            readonly name: string;
                            /**
                             * @description `warning`: it works, but not as it should. `skipped`: it was not looked at, `detail` says why.
                             * @enum {string}
                             */
                            readonly state: "ok" | "warning" | "failed" | "skipped";
                            /** @description Never a secret. */
                            readonly detail: string;
                            /** @description What to do; null where nothing is to be done. */
                            readonly remedy: string | null;
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-groups": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly program: string;
                            /** @enum {string} */
                            readonly operation: "issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update";
                            /** @enum {string} */
                            readonly status: "parked" | "unknown";
                            readonly reason: string | null;
                            /** @description What their last attempts ended with. */
                            readonly code: string | null;
                            /** @description Tells refusals with the same wording. */
                            readonly fingerprint: string | null;
                            /** @description What the partner said to all of them, in small letters, with # for values; null where fewer than 5 members share it. */
                            readonly wording: string | null;
                            readonly intents: number;
                            readonly members: number;
                            /** Format: date-time */
                            readonly firstAt: string;
                            /** Format: date-time */
                            readonly lastAt: string;
                            /** @description At stake, by currency. */
                            readonly money: readonly {
                                /** @description A sum beyond 2^53 is rounded to a float. */
                                readonly minor: number;
                                readonly currency: string;
                                /** @description How many digits of minor stand behind the decimal point: as the events say; of a sum the most of them. */
                                readonly digits: number;
                            }[];
                            /** @description How many came, over a day. */
                            readonly hours: readonly {
                                /** Format: date-time */
                                readonly at: string;
                                readonly intents: number;
                            }[];
                            /** @description Where they came from: the stores and sources with the most of them. */
                            readonly common: {
                                /** @description How many were looked at, the newest. */
                                readonly intents: number;
                                readonly stores: readonly {
                                    readonly name: string;
                                    readonly intents: number;
                                }[];
                                readonly sources: readonly {
                                    readonly name: string;
                                    readonly intents: number;
                                }[];
                            };
                            /** @description The query of GET /intents that shows them. */
                            readonly query: {
                                readonly [key: string]: string;
                            };
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-intents": {
        readonly parameters: {
            readonly query?: {
                readonly status?: string;
                readonly operation?: "issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update";
                readonly program?: string;
                readonly memberId?: string;
                readonly source?: string;
                readonly store?: string;
                readonly purchaseId?: string;
                readonly reason?: string;
                readonly code?: string;
                readonly fingerprint?: string;
                readonly from?: string;
                readonly to?: string;
                readonly q?: string;
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            /** @description PROGRAM~MEMBER~SEQ, percent-encoded where needed. */
                            readonly id: string;
                            readonly program: string;
                            readonly memberId: string;
                            readonly seq: number;
                            /** @enum {string} */
                            readonly operation: "issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update";
                            /** @enum {string} */
                            readonly status: "waiting" | "pending" | "delivering" | "unknown" | "delivered" | "parked" | "cancelled";
                            readonly reason: string | null;
                            /** @description What its last attempt ended with. */
                            readonly code: string | null;
                            readonly fingerprint: string | null;
                            /** @description Since when it stands so; null where that is not kept. */
                            readonly since: string | null;
                            /** Format: date-time */
                            readonly recordedAt: string;
                            /** Format: date-time */
                            readonly occurredAt: string;
                            readonly eventType: string;
                            readonly source: string | null;
                            readonly storeId: string | null;
                            readonly purchaseId: string | null;
                            readonly amount: {
                                /** @description A sum beyond 2^53 is rounded to a float. */
                                readonly minor: number;
                                readonly currency: string;
                                /** @description How many digits of minor stand behind the decimal point: as the events say; of a sum the most of them. */
                                readonly digits: number;
                            } | null;
                            /** @description Attempts that were begun, the one under way included. */
                            readonly attemptCount: number;
                            readonly cause: {
                                readonly topic: string;
                                readonly partition: number;
                                readonly offset: number;
                            };
                        }[];
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-intents-count": {
        readonly parameters: {
            readonly query?: {
                readonly status?: string;
                readonly operation?: "issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update";
                readonly program?: string;
                readonly memberId?: string;
                readonly source?: string;
                readonly store?: string;
                readonly purchaseId?: string;
                readonly reason?: string;
                readonly code?: string;
                readonly fingerprint?: string;
                readonly from?: string;
                readonly to?: string;
                readonly q?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly count: number;
                        /** @description False: too many to be counted at once. There are at least so many, or about as many as count is kept of. */
                        readonly isExact: boolean;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-intents-id": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description PROGRAM~MEMBER~SEQ, percent-encoded where needed. */
                        readonly id: string;
                        readonly program: string;
                        readonly memberId: string;
                        readonly seq: number;
                        /** @enum {string} */
                        readonly operation: "issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update";
                        /** @enum {string} */
                        readonly status: "waiting" | "pending" | "delivering" | "unknown" | "delivered" | "parked" | "cancelled";
                        readonly reason: string | null;
                        /** @description What its last attempt ended with. */
                        readonly code: string | null;
                        readonly fingerprint: string | null;
                        /** @description Since when it stands so; null where that is not kept. */
                        readonly since: string | null;
                        /** Format: date-time */
                        readonly recordedAt: string;
                        /** Format: date-time */
                        readonly occurredAt: string;
                        readonly eventType: string;
                        readonly source: string | null;
                        readonly storeId: string | null;
                        readonly purchaseId: string | null;
                        readonly amount: {
                            /** @description A sum beyond 2^53 is rounded to a float. */
                            readonly minor: number;
                            readonly currency: string;
                            /** @description How many digits of minor stand behind the decimal point: as the events say; of a sum the most of them. */
                            readonly digits: number;
                        } | null;
                        /** @description Attempts that were begun, the one under way included. */
                        readonly attemptCount: number;
                        readonly cause: {
                            readonly topic: string;
                            readonly partition: number;
                            readonly offset: number;
                        };
                        readonly isErased: boolean;
                        /** @description What the partner is to be sent, corrections included, personal values masked. */
                        readonly command: unknown;
                        readonly route: {
                            /** @description The part of the programs file that says how: `purchases.completed`; null: none does. */
                            readonly rule: string | null;
                            /** @description Of the programs file that routed it. */
                            readonly programsHash: string;
                            /** @description The process that answers works by that file still. */
                            readonly isInForce: boolean;
                            /**
                             * Format: date-time
                             * @description The timestamp of the record.
                             */
                            readonly brokerAt: string;
                        };
                        /** @description Null where nothing is left to send. */
                        readonly nextRequest: {
                            readonly method: string;
                            /** @description Below the base address. */
                            readonly path: string;
                            readonly body: unknown;
                            /** @description Why no request can be made of it: paths and rules. */
                            readonly problems: readonly string[];
                        } | null;
                        readonly sourceRecord: {
                            readonly headers: string;
                            readonly value: string;
                        } | null;
                        /** @description Of the trace that it was recorded in; null where its record came in none. */
                        readonly traceId: string | null;
                        readonly events: readonly {
                            readonly version: number;
                            readonly type: string;
                            /** Format: date-time */
                            readonly at: string;
                            readonly attempt: number | null;
                            readonly data: {
                                readonly [key: string]: unknown;
                            };
                            /** @description What was sent and answered, personal values masked. */
                            readonly evidence: unknown;
                        }[];
                        readonly attempts: readonly {
                            readonly attempt: number;
                            readonly begunAt: string | null;
                            readonly endedAt: string | null;
                            readonly durationMs: number | null;
                            readonly outcome: string | null;
                            readonly code: string | null;
                            /** @description How far the request got: not-sent, sent, answered. */
                            readonly phase: string | null;
                            readonly request: unknown;
                            readonly response: unknown;
                            readonly nextTryAt: string | null;
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-intents-id-replay": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Kept for ever and shown to colleagues: nothing personal. */
                    readonly reason: string;
                    /**
                     * @description Although it was put back 5 times or more and is parked again. Admin only.
                     * @default false
                     */
                    readonly force?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly intent: {
                            /** @description PROGRAM~MEMBER~SEQ, percent-encoded where needed. */
                            readonly id: string;
                            readonly program: string;
                            readonly memberId: string;
                            readonly seq: number;
                            /** @enum {string} */
                            readonly operation: "issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update";
                            /** @enum {string} */
                            readonly status: "waiting" | "pending" | "delivering" | "unknown" | "delivered" | "parked" | "cancelled";
                            readonly reason: string | null;
                            /** @description What its last attempt ended with. */
                            readonly code: string | null;
                            readonly fingerprint: string | null;
                            /** @description Since when it stands so; null where that is not kept. */
                            readonly since: string | null;
                            /** Format: date-time */
                            readonly recordedAt: string;
                            /** Format: date-time */
                            readonly occurredAt: string;
                            readonly eventType: string;
                            readonly source: string | null;
                            readonly storeId: string | null;
                            readonly purchaseId: string | null;
                            readonly amount: {
                                /** @description A sum beyond 2^53 is rounded to a float. */
                                readonly minor: number;
                                readonly currency: string;
                                /** @description How many digits of minor stand behind the decimal point: as the events say; of a sum the most of them. */
                                readonly digits: number;
                            } | null;
                            /** @description Attempts that were begun, the one under way included. */
                            readonly attemptCount: number;
                            readonly cause: {
                                readonly topic: string;
                                readonly partition: number;
                                readonly offset: number;
                            };
                        };
                        readonly overtaken: number;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-intents-id-cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Kept for ever and shown to colleagues: nothing personal. */
                    readonly reason: string;
                    /**
                     * @description You have looked, and the partner does not have it: needed where an attempt may have taken effect.
                     * @default false
                     */
                    readonly notDelivered?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly intent: {
                            /** @description PROGRAM~MEMBER~SEQ, percent-encoded where needed. */
                            readonly id: string;
                            readonly program: string;
                            readonly memberId: string;
                            readonly seq: number;
                            /** @enum {string} */
                            readonly operation: "issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update";
                            /** @enum {string} */
                            readonly status: "waiting" | "pending" | "delivering" | "unknown" | "delivered" | "parked" | "cancelled";
                            readonly reason: string | null;
                            /** @description What its last attempt ended with. */
                            readonly code: string | null;
                            readonly fingerprint: string | null;
                            /** @description Since when it stands so; null where that is not kept. */
                            readonly since: string | null;
                            /** Format: date-time */
                            readonly recordedAt: string;
                            /** Format: date-time */
                            readonly occurredAt: string;
                            readonly eventType: string;
                            readonly source: string | null;
                            readonly storeId: string | null;
                            readonly purchaseId: string | null;
                            readonly amount: {
                                /** @description A sum beyond 2^53 is rounded to a float. */
                                readonly minor: number;
                                readonly currency: string;
                                /** @description How many digits of minor stand behind the decimal point: as the events say; of a sum the most of them. */
                                readonly digits: number;
                            } | null;
                            /** @description Attempts that were begun, the one under way included. */
                            readonly attemptCount: number;
                            readonly cause: {
                                readonly topic: string;
                                readonly partition: number;
                                readonly offset: number;
                            };
                        };
                        readonly overtaken: number;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-intents-id-correct": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 4096 KiB. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Kept for ever and shown to colleagues: nothing personal. */
                    readonly reason: string;
                    /** @description The whole command, as it is to be from now on. */
                    readonly command?: {
                        readonly [key: string]: unknown;
                    };
                    /** @description A JSON merge patch (RFC 7396) of the command: what is not named stays, null removes. */
                    readonly patch?: {
                        readonly [key: string]: unknown;
                    };
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly intent: {
                            /** @description PROGRAM~MEMBER~SEQ, percent-encoded where needed. */
                            readonly id: string;
                            readonly program: string;
                            readonly memberId: string;
                            readonly seq: number;
                            /** @enum {string} */
                            readonly operation: "issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update";
                            /** @enum {string} */
                            readonly status: "waiting" | "pending" | "delivering" | "unknown" | "delivered" | "parked" | "cancelled";
                            readonly reason: string | null;
                            /** @description What its last attempt ended with. */
                            readonly code: string | null;
                            readonly fingerprint: string | null;
                            /** @description Since when it stands so; null where that is not kept. */
                            readonly since: string | null;
                            /** Format: date-time */
                            readonly recordedAt: string;
                            /** Format: date-time */
                            readonly occurredAt: string;
                            readonly eventType: string;
                            readonly source: string | null;
                            readonly storeId: string | null;
                            readonly purchaseId: string | null;
                            readonly amount: {
                                /** @description A sum beyond 2^53 is rounded to a float. */
                                readonly minor: number;
                                readonly currency: string;
                                /** @description How many digits of minor stand behind the decimal point: as the events say; of a sum the most of them. */
                                readonly digits: number;
                            } | null;
                            /** @description Attempts that were begun, the one under way included. */
                            readonly attemptCount: number;
                            readonly cause: {
                                readonly topic: string;
                                readonly partition: number;
                                readonly offset: number;
                            };
                        };
                        readonly changes: readonly {
                            readonly path: string;
                            readonly from: unknown;
                            readonly to: unknown;
                        }[];
                        /** @description What would be sent now, personal values masked. */
                        readonly nextRequest: {
                            readonly method: string;
                            /** @description Below the base address. */
                            readonly path: string;
                            readonly body: unknown;
                            /** @description Why no request can be made of it: paths and rules. */
                            readonly problems: readonly string[];
                        };
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-intents-id-resolve": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Kept for ever and shown to colleagues: nothing personal. */
                    readonly reason: string;
                    /**
                     * @description `delivered` settles it; `not-delivered` makes it pending again (to close it, cancel with `notDelivered`).
                     * @enum {string}
                     */
                    readonly as: "delivered" | "not-delivered";
                    /**
                     * @description Although it was put back 5 times or more and is parked again. Admin only.
                     * @default false
                     */
                    readonly force?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly intent: {
                            /** @description PROGRAM~MEMBER~SEQ, percent-encoded where needed. */
                            readonly id: string;
                            readonly program: string;
                            readonly memberId: string;
                            readonly seq: number;
                            /** @enum {string} */
                            readonly operation: "issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update";
                            /** @enum {string} */
                            readonly status: "waiting" | "pending" | "delivering" | "unknown" | "delivered" | "parked" | "cancelled";
                            readonly reason: string | null;
                            /** @description What its last attempt ended with. */
                            readonly code: string | null;
                            readonly fingerprint: string | null;
                            /** @description Since when it stands so; null where that is not kept. */
                            readonly since: string | null;
                            /** Format: date-time */
                            readonly recordedAt: string;
                            /** Format: date-time */
                            readonly occurredAt: string;
                            readonly eventType: string;
                            readonly source: string | null;
                            readonly storeId: string | null;
                            readonly purchaseId: string | null;
                            readonly amount: {
                                /** @description A sum beyond 2^53 is rounded to a float. */
                                readonly minor: number;
                                readonly currency: string;
                                /** @description How many digits of minor stand behind the decimal point: as the events say; of a sum the most of them. */
                                readonly digits: number;
                            } | null;
                            /** @description Attempts that were begun, the one under way included. */
                            readonly attemptCount: number;
                            readonly cause: {
                                readonly topic: string;
                                readonly partition: number;
                                readonly offset: number;
                            };
                        };
                        readonly overtaken: number;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-members-program-memberId": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly program: string;
                readonly memberId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly program: string;
                        readonly memberId: string;
                        /** @description Rises when somebody who left enrols again. */
                        readonly generation: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly isErased: boolean;
                        /** @description As the partner last answered. */
                        readonly pass: {
                            readonly passId: string | number | null;
                            readonly serialNumber: string | null;
                            readonly downloadUrl: string | null;
                            readonly downloadUrlApple: string | null;
                            readonly downloadUrlGoogle: string | null;
                            readonly statusCode: unknown;
                        } | null;
                        /** @enum {string} */
                        readonly passKnown: "unknown" | "absent" | "known";
                        readonly lane: {
                            /** @enum {string} */
                            readonly state: "live" | "waiting" | "blocked";
                            readonly dueAt: string | null;
                            /** @description A process is working on it. */
                            readonly isHeld: boolean;
                            /** @description The intent that comes next. */
                            readonly next: string | null;
                            readonly queued: number;
                        };
                        /** @description The newest; GET /intents?memberId= has them all. */
                        readonly intents: readonly {
                            /** @description PROGRAM~MEMBER~SEQ, percent-encoded where needed. */
                            readonly id: string;
                            readonly program: string;
                            readonly memberId: string;
                            readonly seq: number;
                            /** @enum {string} */
                            readonly operation: "issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update";
                            /** @enum {string} */
                            readonly status: "waiting" | "pending" | "delivering" | "unknown" | "delivered" | "parked" | "cancelled";
                            readonly reason: string | null;
                            /** @description What its last attempt ended with. */
                            readonly code: string | null;
                            readonly fingerprint: string | null;
                            /** @description Since when it stands so; null where that is not kept. */
                            readonly since: string | null;
                            /** Format: date-time */
                            readonly recordedAt: string;
                            /** Format: date-time */
                            readonly occurredAt: string;
                            readonly eventType: string;
                            readonly source: string | null;
                            readonly storeId: string | null;
                            readonly purchaseId: string | null;
                            readonly amount: {
                                /** @description A sum beyond 2^53 is rounded to a float. */
                                readonly minor: number;
                                readonly currency: string;
                                /** @description How many digits of minor stand behind the decimal point: as the events say; of a sum the most of them. */
                                readonly digits: number;
                            } | null;
                            /** @description Attempts that were begun, the one under way included. */
                            readonly attemptCount: number;
                            readonly cause: {
                                readonly topic: string;
                                readonly partition: number;
                                readonly offset: number;
                            };
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-members-program-memberId-partner": {
        readonly parameters: {
            readonly query?: {
                readonly reason?: string;
                readonly intent?: string;
            };
            readonly header?: never;
            readonly path: {
                readonly program: string;
                readonly memberId: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly program: string;
                        readonly memberId: string;
                        /**
                         * Format: date-time
                         * @description When the partner answered.
                         */
                        readonly at: string;
                        readonly ours: {
                            /** @enum {string} */
                            readonly passKnown: "unknown" | "absent" | "known";
                            /** @description As the partner last answered before. */
                            readonly pass: {
                                readonly passId: string | number | null;
                                readonly serialNumber: string | null;
                                readonly downloadUrl: string | null;
                                readonly downloadUrlApple: string | null;
                                readonly downloadUrlGoogle: string | null;
                                readonly statusCode: unknown;
                            } | null;
                            /** @description Nothing is left to be sent: only then is what was sent compared. */
                            readonly isAtRest: boolean;
                            /** @description The newest intents that are not settled: parked, in doubt or under way. */
                            readonly open: readonly {
                                /** @description Its id. */
                                readonly intent: string;
                                /** @enum {string} */
                                readonly operation: "issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update";
                                readonly status: string;
                                /** @description What it says of the pass. Empty for a transaction or reward. */
                                readonly wants: readonly {
                                    /** @description As in a WalletPass: `templateTierId`, `passdata.points`. */
                                    readonly path: string;
                                    readonly ours: unknown;
                                    /** @description Absent where the partner does not show it. */
                                    readonly partner: unknown;
                                    /** @description Null: it is not shown. */
                                    readonly isThere: boolean | null;
                                }[];
                                /** @description What this answer proves of it, by the rules of delivery. Null: it is not in doubt. */
                                readonly proof: {
                                    /** @enum {string} */
                                    readonly verdict: "applied" | "not-applied" | "nothing";
                                    /** @description `points`, `as-wanted`, `pass-found` or `lookup-and-listing`; null where it proves nothing. */
                                    readonly evidence: string | null;
                                    /** @description Why it proves nothing. */
                                    readonly why: ("partner-failed" | "no-trace" | "refused-twice" | "answered-otherwise" | "not-read-before" | "others-moved" | "second-look" | "too-early" | "other-points" | "unclear") | null;
                                    /** @description Of a transaction or reward: read before the attempt, now, and by how much it moves them; null: not known. */
                                    readonly points: {
                                        readonly before: number | null;
                                        readonly now: number | null;
                                        readonly delta: number | null;
                                    };
                                } | null;
                            }[];
                        };
                        readonly partner: {
                            /** @enum {string} */
                            readonly result: "found" | "absent" | "failed";
                            /** @description Why it failed: `timeout`, `http-503`, `foreign-pass`, ... */
                            readonly code: string | null;
                            readonly status: number | null;
                            /** @description Where no pass was found: how many the listing counts. */
                            readonly listed: number | null;
                            /** @description As answered; what may be personal is masked. */
                            readonly pass: {
                                readonly [key: string]: unknown;
                            } | null;
                            readonly durationMs: number;
                        };
                        /** @description Where the pass is not as it was sent last, or another one. */
                        readonly differences: readonly {
                            /** @description As in a WalletPass: `templateTierId`, `passdata.points`. */
                            readonly path: string;
                            readonly ours: unknown;
                            /** @description Absent where the partner does not show it. */
                            readonly partner: unknown;
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-members-program-memberId-unmask": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly program: string;
                readonly memberId: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Kept for ever and shown to colleagues: nothing personal. */
                    readonly reason: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly program: string;
                        readonly memberId: string;
                        readonly intents: readonly {
                            readonly id: string;
                            readonly isErased: boolean;
                            readonly command: unknown;
                            readonly sourceRecord: {
                                readonly headers: string;
                                readonly value: string;
                            } | null;
                            readonly events: readonly {
                                readonly version: number;
                                readonly type: string;
                                /** Format: date-time */
                                readonly at: string;
                                readonly evidence: unknown;
                            }[];
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-passes": {
        readonly parameters: {
            readonly query?: {
                readonly program?: string;
                readonly reason?: string;
                readonly updatedSince?: string;
                readonly status?: string;
                readonly tier?: number;
                readonly template?: number;
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            /** @description Null where the pass carries none of ours. */
                            readonly memberId: string | null;
                            /** @description As the partner lists it; what may be personal is masked. */
                            readonly pass: {
                                readonly [key: string]: unknown;
                            };
                        }[];
                        readonly nextCursor: string | null;
                        /** @description As the partner counts them. */
                        readonly totalCount: number | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-pauses": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly program: string | null;
                            readonly operation: ("issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update") | null;
                            /** Format: date-time */
                            readonly since: string;
                            readonly by: string;
                            readonly reason: string;
                            /** @description Set by delivery itself, because the partner refused everybody. */
                            readonly automatic: boolean;
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-pauses": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /** @description Every program when left out. */
                    readonly program?: string | null;
                    /** @description Every operation when left out. */
                    readonly operation?: ("issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update") | null;
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly pause: {
                            readonly program: string | null;
                            readonly operation: ("issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update") | null;
                            /** Format: date-time */
                            readonly since: string;
                            readonly by: string;
                            readonly reason: string;
                            /** @description Set by delivery itself, because the partner refused everybody. */
                            readonly automatic: boolean;
                        };
                        readonly isNew: boolean;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "delete-pauses": {
        readonly parameters: {
            readonly query?: {
                readonly program?: string | null;
                readonly operation?: ("issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update") | null;
                readonly reason?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /** @description Every program when left out. */
                    readonly program?: string | null;
                    /** @description Every operation when left out. */
                    readonly operation?: ("issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update") | null;
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly program: string | null;
                        readonly operation: ("issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update") | null;
                        /** Format: date-time */
                        readonly since: string;
                        readonly by: string;
                        readonly reason: string;
                        /** @description Set by delivery itself, because the partner refused everybody. */
                        readonly automatic: boolean;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-programs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly hash: string;
                        /** Format: date-time */
                        readonly since: string;
                        /** @description The file, with every default; what is written as a comment is not read. */
                        readonly content: unknown;
                        /** @description The last 20 files, the newest first. */
                        readonly loads: readonly {
                            readonly id: number;
                            /**
                             * Format: date-time
                             * @description When the first process had it.
                             */
                            readonly at: string;
                            readonly hash: string;
                            /** @description Of that process. */
                            readonly host: string;
                            /** @description Who had it read; null: a process took it over by itself, or at its start. */
                            readonly by: string | null;
                            readonly reason: string | null;
                            /** @description What differs from the one before, defaults spelled out; null where one of the two is not kept. */
                            readonly changes: readonly {
                                /** @description In the file, as errors name it. */
                                readonly path: string;
                                /** @enum {string} */
                                readonly change: "added" | "removed" | "changed";
                                readonly from: unknown;
                                readonly to: unknown;
                            }[] | null;
                            /** @description More differs than is shown. */
                            readonly hasMoreChanges: boolean;
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-provisionings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly id: string;
                            /** @enum {string} */
                            readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                            readonly program: string | null;
                            readonly request: {
                                readonly [key: string]: unknown;
                            };
                            readonly reason: string;
                            /** @enum {string} */
                            readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                            readonly progress: {
                                readonly [key: string]: number;
                            };
                            /** @description What came of it, at its end. */
                            readonly report: unknown;
                            /** @description Why its last turn, or all of it, failed. */
                            readonly error: string | null;
                            /** @description How many lines `GET …/{id}/lines` has. */
                            readonly lines: number;
                            /** Format: date-time */
                            readonly createdAt: string;
                            readonly createdBy: string;
                            readonly finishedAt: string | null;
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-provisionings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    readonly id?: string;
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                    readonly program?: string;
                    /**
                     * @description Without it only a plan is made.
                     * @default false
                     */
                    readonly apply?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-provisionings-id": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-provisionings-id-lines": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly [key: string]: unknown;
                        }[];
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-provisionings-id-pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-provisionings-id-resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-provisionings-id-cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-provisionings-recorded": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            /** @enum {string} */
                            readonly kind: "brand" | "brand-attribute" | "transaction-type" | "transaction-attribute" | "template";
                            readonly brandId: string;
                            readonly programId: string | null;
                            readonly transactionTypeId: string | null;
                            readonly name: string;
                            /**
                             * @description Of the last call about it.
                             * @enum {string}
                             */
                            readonly action: "create" | "update";
                            /** @enum {string} */
                            readonly state: "begun" | "created" | "updated" | "refused" | "not-applied" | "unknown";
                            /** @description The call may have taken effect: look at the partner, then resolve the step. */
                            readonly inDoubt: boolean;
                            readonly stepId: string;
                            readonly partnerId: string | null;
                            /** @description What that call was to put in place. */
                            readonly content: {
                                readonly [key: string]: string | boolean;
                            };
                            /** @description What is there as far as we know. */
                            readonly placed: {
                                readonly [key: string]: string | boolean;
                            } | null;
                            /** Format: date-time */
                            readonly at: string;
                            readonly job: string | null;
                            /** @description Who said what became of it; null: the partner answered. */
                            readonly actor: string | null;
                            readonly evidence: {
                                readonly [key: string]: unknown;
                            } | null;
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-provisionings-steps-stepId-resolve": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly stepId: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Kept for ever and shown to colleagues: nothing personal. */
                    readonly reason: string;
                    /**
                     * @description `created`: it took effect at the partner. `not-created`: it did not; the next apply makes it again.
                     * @enum {string}
                     */
                    readonly as: "created" | "not-created";
                    /** @description The partner's id of what was made. Needed for a brand attribute: it is changed by its id. */
                    readonly partnerId?: string | number;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @enum {string} */
                        readonly kind: "brand" | "brand-attribute" | "transaction-type" | "transaction-attribute" | "template";
                        readonly brandId: string;
                        readonly programId: string | null;
                        readonly transactionTypeId: string | null;
                        readonly name: string;
                        /**
                         * @description Of the last call about it.
                         * @enum {string}
                         */
                        readonly action: "create" | "update";
                        /** @enum {string} */
                        readonly state: "begun" | "created" | "updated" | "refused" | "not-applied" | "unknown";
                        /** @description The call may have taken effect: look at the partner, then resolve the step. */
                        readonly inDoubt: boolean;
                        readonly stepId: string;
                        readonly partnerId: string | null;
                        /** @description What that call was to put in place. */
                        readonly content: {
                            readonly [key: string]: string | boolean;
                        };
                        /** @description What is there as far as we know. */
                        readonly placed: {
                            readonly [key: string]: string | boolean;
                        } | null;
                        /** Format: date-time */
                        readonly at: string;
                        readonly job: string | null;
                        /** @description Who said what became of it; null: the partner answered. */
                        readonly actor: string | null;
                        readonly evidence: {
                            readonly [key: string]: unknown;
                        } | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-reconciliations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly id: string;
                            /** @enum {string} */
                            readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                            readonly program: string | null;
                            readonly request: {
                                readonly [key: string]: unknown;
                            };
                            readonly reason: string;
                            /** @enum {string} */
                            readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                            readonly progress: {
                                readonly [key: string]: number;
                            };
                            /** @description What came of it, at its end. */
                            readonly report: unknown;
                            /** @description Why its last turn, or all of it, failed. */
                            readonly error: string | null;
                            /** @description How many lines `GET …/{id}/lines` has. */
                            readonly lines: number;
                            /** Format: date-time */
                            readonly createdAt: string;
                            readonly createdBy: string;
                            readonly finishedAt: string | null;
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-reconciliations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly id?: string;
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                    readonly program: string;
                    /**
                     * @description Records an intent for what is missing at the partner.
                     * @default false
                     */
                    readonly repair?: boolean;
                    /**
                     * Format: date-time
                     * @description Only passes that changed at or after.
                     */
                    readonly updatedSince?: string;
                    /** @description Only passes of this status, such as ACTIVE. */
                    readonly status?: string;
                    /** @description Only passes of this tier, by the partner's id. */
                    readonly tier?: number;
                    /** @description Only passes of this template, by the partner's id. */
                    readonly template?: number;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-reconciliations-id": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-reconciliations-id-lines": {
        readonly parameters: {
            readonly query?: {
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly [key: string]: unknown;
                        }[];
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-reconciliations-id-pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-reconciliations-id-resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-reconciliations-id-cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly kind: "reconciliation" | "adoption" | "provisioning" | "erasure" | "export" | "rereading" | "schedule";
                        readonly program: string | null;
                        readonly request: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        /** @enum {string} */
                        readonly state: "waiting" | "running" | "paused" | "done" | "failed" | "cancelled";
                        readonly progress: {
                            readonly [key: string]: number;
                        };
                        /** @description What came of it, at its end. */
                        readonly report: unknown;
                        /** @description Why its last turn, or all of it, failed. */
                        readonly error: string | null;
                        /** @description How many lines `GET …/{id}/lines` has. */
                        readonly lines: number;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        readonly finishedAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-quarantine": {
        readonly parameters: {
            readonly query?: {
                readonly state?: "open" | "resubmitted" | "discarded" | "any";
                readonly reason?: string;
                readonly detail?: string;
                readonly topic?: string;
                readonly source?: string;
                readonly store?: string;
                readonly program?: string;
                readonly from?: string;
                readonly to?: string;
                readonly cursor?: string;
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly id: number;
                            /** @enum {string} */
                            readonly state: "open" | "resubmitted" | "discarded";
                            readonly reason: string;
                            /** @description Paths and rules, never a value. */
                            readonly detail: string;
                            readonly topic: string;
                            readonly partition: number;
                            readonly offset: number;
                            /** @description Set: it is a whole record batch that was not taken apart, for its records from `offset` to this one. */
                            readonly lastOffset: number | null;
                            /** @description Of its value; of the record batch as the broker has it. */
                            readonly bytes: number;
                            /**
                             * Format: date-time
                             * @description The timestamp of the record.
                             */
                            readonly producedAt: string;
                            /** Format: date-time */
                            readonly recordedAt: string;
                            /** @description Who sent it; null where it does not say, and of what came before this was kept. */
                            readonly source: string | null;
                            readonly store: string | null;
                            readonly program: string | null;
                            /** @description Who dealt with it, why, and what came of it. */
                            readonly settled: {
                                /** Format: date-time */
                                readonly at: string;
                                readonly by: string;
                                readonly why: string;
                                /**
                                 * @description `duplicate`: the same had been recorded already. `ignored`: `reason` says why.
                                 * @enum {string}
                                 */
                                readonly result: "recorded" | "duplicate" | "ignored" | "discarded";
                                readonly reason: string | null;
                                /** @description The intent it became, or had become already. */
                                readonly intent: string | null;
                            } | null;
                        }[];
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-quarantine-count": {
        readonly parameters: {
            readonly query?: {
                readonly reason?: string;
                readonly detail?: string;
                readonly topic?: string;
                readonly source?: string;
                readonly store?: string;
                readonly program?: string;
                readonly from?: string;
                readonly to?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly count: number;
                        /** @description False: there are more than were counted. */
                        readonly isExact: boolean;
                        /**
                         * Format: date-time
                         * @description When they were counted.
                         */
                        readonly at: string;
                        /** @description The newest of them: sent with an action in bulk it keeps that from what came later. Null: there is none. */
                        readonly upTo: number | null;
                        readonly byReason: readonly {
                            readonly reason: string;
                            readonly count: number;
                        }[];
                        /** @description The first 10. Null: of those that do not say, or could not be read. */
                        readonly bySource: readonly {
                            readonly source: string | null;
                            readonly count: number;
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-quarantine-id": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: number;
                        /** @enum {string} */
                        readonly state: "open" | "resubmitted" | "discarded";
                        readonly reason: string;
                        /** @description Paths and rules, never a value. */
                        readonly detail: string;
                        readonly topic: string;
                        readonly partition: number;
                        readonly offset: number;
                        /** @description Set: it is a whole record batch that was not taken apart, for its records from `offset` to this one. */
                        readonly lastOffset: number | null;
                        /** @description Of its value; of the record batch as the broker has it. */
                        readonly bytes: number;
                        /**
                         * Format: date-time
                         * @description The timestamp of the record.
                         */
                        readonly producedAt: string;
                        /** Format: date-time */
                        readonly recordedAt: string;
                        /** @description Who sent it; null where it does not say, and of what came before this was kept. */
                        readonly source: string | null;
                        readonly store: string | null;
                        readonly program: string | null;
                        /** @description Who dealt with it, why, and what came of it. */
                        readonly settled: {
                            /** Format: date-time */
                            readonly at: string;
                            readonly by: string;
                            readonly why: string;
                            /**
                             * @description `duplicate`: the same had been recorded already. `ignored`: `reason` says why.
                             * @enum {string}
                             */
                            readonly result: "recorded" | "duplicate" | "ignored" | "discarded";
                            readonly reason: string | null;
                            /** @description The intent it became, or had become already. */
                            readonly intent: string | null;
                        } | null;
                        /** @description False where no key opens the bytes any more. */
                        readonly isReadable: boolean;
                        readonly key: string | null;
                        readonly headers: string;
                        readonly value: string | null;
                        /**
                         * @description `masked`: no JSON, hence not shown. `batch`: a whole record batch, never taken apart.
                         * @enum {string}
                         */
                        readonly encoding: "text" | "masked" | "batch";
                        readonly corrected: {
                            /** @description False where no key opens the bytes any more. */
                            readonly isReadable: boolean;
                            readonly key: string | null;
                            readonly headers: string;
                            readonly value: string | null;
                            /**
                             * @description `masked`: no JSON, hence not shown. `batch`: a whole record batch, never taken apart.
                             * @enum {string}
                             */
                            readonly encoding: "text" | "masked" | "batch";
                            /** @description What differs from the record as it arrived, personal values masked. */
                            readonly changes: readonly {
                                /** @description Begins with `key`, `headers` or `value`. */
                                readonly path: string;
                                /** @enum {string} */
                                readonly change: "added" | "removed" | "changed";
                                readonly from: unknown;
                                readonly to: unknown;
                            }[];
                            /** @description More differs than is shown. */
                            readonly hasMoreChanges: boolean;
                        } | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-quarantine-id-resubmit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 4096 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                    /** @description Kept beside the record as it arrived, which is never overwritten. */
                    readonly corrected?: {
                        readonly key?: string;
                        readonly headers?: {
                            readonly [key: string]: string;
                        };
                        /** @description Text, or a JSON object. Numbers beyond 2^53 keep their digits in text only. `•••` at a path keeps what arrived there. */
                        readonly value?: string | {
                            readonly [key: string]: unknown;
                        };
                    };
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: number;
                        /** @enum {string} */
                        readonly result: "recorded" | "duplicate" | "ignored" | "discarded";
                        /** @description The intent it became, or had become already. */
                        readonly intent: string | null;
                        /** @description Why no new intent came of it. */
                        readonly reason: string | null;
                        readonly detail: string;
                        /** @description Of a record batch: how many of its records became what. */
                        readonly records?: {
                            readonly recorded: number;
                            readonly duplicate: number;
                            readonly ignored: number;
                            /** @description Each by itself, as a record of its own in quarantine. */
                            readonly setAside: number;
                        };
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-quarantine-id-discard": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Kept for ever and shown to colleagues: nothing personal. */
                    readonly reason: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: number;
                        /** @enum {string} */
                        readonly result: "recorded" | "duplicate" | "ignored" | "discarded";
                        /** @description The intent it became, or had become already. */
                        readonly intent: string | null;
                        /** @description Why no new intent came of it. */
                        readonly reason: string | null;
                        readonly detail: string;
                        /** @description Of a record batch: how many of its records became what. */
                        readonly records?: {
                            readonly recorded: number;
                            readonly duplicate: number;
                            readonly ignored: number;
                            /** @description Each by itself, as a record of its own in quarantine. */
                            readonly setAside: number;
                        };
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-quarantine-id-unmask": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Kept for ever and shown to colleagues: nothing personal. */
                    readonly reason: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: number;
                        /** @description False where no key opens the bytes any more. */
                        readonly isReadable: boolean;
                        readonly key: string | null;
                        readonly headers: string;
                        readonly value: string | null;
                        /**
                         * @description Of the value. `base64`: it is no UTF-8. `batch`: a whole record batch, never taken apart, hence not shown.
                         * @enum {string}
                         */
                        readonly encoding: "text" | "base64" | "batch";
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-quarantine-resubmit": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                    /** @description The filters of GET /quarantine. */
                    readonly query: {
                        readonly reason?: string;
                        /** @description A part of the detail. */
                        readonly detail?: string;
                        readonly topic?: string;
                        /** @description The `source` of the event; empty: of records that do not say, or could not be read. */
                        readonly source?: string;
                        /** @description The `storeId` of a purchase; empty as `source`. */
                        readonly store?: string;
                        /** @description One of the programs file; empty as `source`. */
                        readonly program?: string;
                        /**
                         * Format: date-time
                         * @description Set aside at or after.
                         */
                        readonly from?: string;
                        /**
                         * Format: date-time
                         * @description Set aside before.
                         */
                        readonly to?: string;
                    };
                    /**
                     * @description So many are tried at most.
                     * @default 500
                     */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                    /** @description The newest one that is meant: `upTo` of GET /quarantine/count. */
                    readonly upTo?: number;
                    /** @description How many are expected: where more are found nothing is done, and the problem is `more-than-expected`. */
                    readonly atMost?: number;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly done: number;
                        /** @description They stay as they are. */
                        readonly failed: number;
                        /** @description Somebody else dealt with them meanwhile. */
                        readonly skipped: number;
                        /** @description Not tried yet. Ask again with `nextCursor`. */
                        readonly remaining: number;
                        /** @description The first of those that failed, and why. */
                        readonly failures: readonly {
                            readonly id: number;
                            readonly detail: string;
                        }[];
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-quarantine-discard": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description Kept for ever and shown to colleagues: nothing personal. */
                    readonly reason: string;
                    /** @description The filters of GET /quarantine. */
                    readonly query: {
                        readonly reason?: string;
                        /** @description A part of the detail. */
                        readonly detail?: string;
                        readonly topic?: string;
                        /** @description The `source` of the event; empty: of records that do not say, or could not be read. */
                        readonly source?: string;
                        /** @description The `storeId` of a purchase; empty as `source`. */
                        readonly store?: string;
                        /** @description One of the programs file; empty as `source`. */
                        readonly program?: string;
                        /**
                         * Format: date-time
                         * @description Set aside at or after.
                         */
                        readonly from?: string;
                        /**
                         * Format: date-time
                         * @description Set aside before.
                         */
                        readonly to?: string;
                    };
                    /**
                     * @description So many are tried at most.
                     * @default 500
                     */
                    readonly limit?: number;
                    /** @description `nextCursor` of the page before. */
                    readonly cursor?: string;
                    /** @description The newest one that is meant: `upTo` of GET /quarantine/count. */
                    readonly upTo?: number;
                    /** @description How many are expected: where more are found nothing is done, and the problem is `more-than-expected`. */
                    readonly atMost?: number;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly done: number;
                        /** @description They stay as they are. */
                        readonly failed: number;
                        /** @description Somebody else dealt with them meanwhile. */
                        readonly skipped: number;
                        /** @description Not tried yet. Ask again with `nextCursor`. */
                        readonly remaining: number;
                        /** @description The first of those that failed, and why. */
                        readonly failures: readonly {
                            readonly id: number;
                            readonly detail: string;
                        }[];
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-console": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description Of the product. */
                        readonly version: string;
                        /** @description Who logs people in, by the authorization code flow with PKCE; null: the console takes tokens only. */
                        readonly oidc: {
                            /** @description Without a slash at its end; its discovery document lies below it. */
                            readonly issuer: string;
                            readonly clientId: string;
                            readonly scope: string;
                        } | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-login-links-redeem": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 1 KiB. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    /** @description What stands behind `#code=` in the address that was printed. */
                    readonly code: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly token: string;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-me": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description As the audit has it. */
                        readonly name: string;
                        /** @enum {string} */
                        readonly role: "viewer" | "operator" | "admin";
                        /** @description Issuer and `sub`; null: the token is one of OPS_TOKENS. */
                        readonly subject: string | null;
                        /** @description The programs that the token is limited to; null: all. */
                        readonly limitedTo: readonly string[] | null;
                        /** @description Nobody may change anything (OPS_READ_ONLY). */
                        readonly readOnly: boolean;
                        /** @description When the token ends; null: never by itself. */
                        readonly expiresAt: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-reload": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description All processes that are alive work by the same programs file. */
                        readonly agree: boolean;
                        readonly disagreeingSince: string | null;
                        /** @description Oldest first. */
                        readonly processes: readonly {
                            readonly id: string;
                            /** @description The machine or pod it runs on. */
                            readonly host: string;
                            readonly roles: readonly string[];
                            /** Format: date-time */
                            readonly startedAt: string;
                            /** Format: date-time */
                            readonly heartbeatAt: string;
                            /** @description It reported within the last seconds. */
                            readonly alive: boolean;
                            /** @description It is the one that answers this request. */
                            readonly answering: boolean;
                            /** @description Of the programs file that it works by. */
                            readonly hash: string;
                            /**
                             * Format: date-time
                             * @description Since when it works by that file.
                             */
                            readonly since: string;
                            /** @description Why it did not take over the file that it read last. */
                            readonly problem: string | null;
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-reload": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description False where this process worked by the same file before. */
                        readonly changed: boolean;
                        readonly hash: string;
                        /** @description Their names in the file. */
                        readonly programs: readonly string[];
                        /** @description Of processes that did not follow, each with its host. */
                        readonly problems: readonly string[];
                        /** @description All processes that are alive work by the same programs file. */
                        readonly agree: boolean;
                        readonly disagreeingSince: string | null;
                        /** @description Oldest first. */
                        readonly processes: readonly {
                            readonly id: string;
                            /** @description The machine or pod it runs on. */
                            readonly host: string;
                            readonly roles: readonly string[];
                            /** Format: date-time */
                            readonly startedAt: string;
                            /** Format: date-time */
                            readonly heartbeatAt: string;
                            /** @description It reported within the last seconds. */
                            readonly alive: boolean;
                            /** @description It is the one that answers this request. */
                            readonly answering: boolean;
                            /** @description Of the programs file that it works by. */
                            readonly hash: string;
                            /**
                             * Format: date-time
                             * @description Since when it works by that file.
                             */
                            readonly since: string;
                            /** @description Why it did not take over the file that it read last. */
                            readonly problem: string | null;
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-replays": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly id: string;
                            /** @enum {string} */
                            readonly state: "planned" | "running" | "paused" | "stopped" | "cancelled" | "done";
                            readonly stoppedBecause: string | null;
                            readonly query: {
                                readonly [key: string]: unknown;
                            };
                            readonly reason: string;
                            readonly ratePerSecond: number;
                            readonly canary: boolean;
                            /** @description What it judges by: how many came to an end since it began, and how many of those were parked again. It begins anew where what it stopped is resumed. Absent without one. */
                            readonly canaryProgress?: {
                                readonly settled: number;
                                readonly failed: number;
                            };
                            readonly force: boolean;
                            /** Format: date-time */
                            readonly createdAt: string;
                            readonly createdBy: string;
                            /** @description Null of a dry run that nobody has started. */
                            readonly startedAt: string | null;
                            /** @description In whose name its items are put back. */
                            readonly startedBy: string | null;
                            /** @description What they gave as the reason; `reason` is of who made it. */
                            readonly startReason: string | null;
                            readonly finishedAt: string | null;
                            /** @description At stake, by currency. */
                            readonly money: readonly {
                                /** @description A sum beyond 2^53 is rounded to a float. */
                                readonly minor: number;
                                readonly currency: string;
                                /** @description How many digits of minor stand behind the decimal point: as the events say; of a sum the most of them. */
                                readonly digits: number;
                            }[];
                            readonly items: number;
                            /** @description Whose they are; absent of those that were made before this was counted. */
                            readonly members?: number;
                            /** @description waiting, sent, delivered, parked, cancelled, refused, skipped */
                            readonly byState: {
                                readonly [key: string]: number;
                            };
                            /** @description will-post, was-refused, needs-decision, answered-yes, voided, lane-blocked, nothing-to-send, member-gone */
                            readonly byForecast: {
                                readonly [key: string]: number;
                            };
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-replays": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody: {
            readonly content: {
                readonly "application/json": {
                    readonly id?: string;
                    /** @description `key=value`, separated by spaces, or an object; the keys of GET /intents. */
                    readonly query: string | {
                        readonly [key: string]: unknown;
                    };
                    /** @description Kept for ever and shown to colleagues: nothing personal. */
                    readonly reason: string;
                    /** @description At most. Left out: 10, or of a dry run that is started, what it was made with. */
                    readonly ratePerSecond?: number;
                    /**
                     * @description Freezes the selection and says what is to be expected; sends nothing.
                     * @default false
                     */
                    readonly dryRun?: boolean;
                    /** @description One, then ten, then the rest; stops when they fail again. Left out: true, or of a dry run that is started, what it was made with. */
                    readonly canary?: boolean;
                    /**
                     * @description Also what was replayed often without success. Admin only.
                     * @default false
                     */
                    readonly force?: boolean;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly state: "planned" | "running" | "paused" | "stopped" | "cancelled" | "done";
                        readonly stoppedBecause: string | null;
                        readonly query: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        readonly ratePerSecond: number;
                        readonly canary: boolean;
                        /** @description What it judges by: how many came to an end since it began, and how many of those were parked again. It begins anew where what it stopped is resumed. Absent without one. */
                        readonly canaryProgress?: {
                            readonly settled: number;
                            readonly failed: number;
                        };
                        readonly force: boolean;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        /** @description Null of a dry run that nobody has started. */
                        readonly startedAt: string | null;
                        /** @description In whose name its items are put back. */
                        readonly startedBy: string | null;
                        /** @description What they gave as the reason; `reason` is of who made it. */
                        readonly startReason: string | null;
                        readonly finishedAt: string | null;
                        /** @description At stake, by currency. */
                        readonly money: readonly {
                            /** @description A sum beyond 2^53 is rounded to a float. */
                            readonly minor: number;
                            readonly currency: string;
                            /** @description How many digits of minor stand behind the decimal point: as the events say; of a sum the most of them. */
                            readonly digits: number;
                        }[];
                        readonly items: number;
                        /** @description Whose they are; absent of those that were made before this was counted. */
                        readonly members?: number;
                        /** @description waiting, sent, delivered, parked, cancelled, refused, skipped */
                        readonly byState: {
                            readonly [key: string]: number;
                        };
                        /** @description will-post, was-refused, needs-decision, answered-yes, voided, lane-blocked, nothing-to-send, member-gone */
                        readonly byForecast: {
                            readonly [key: string]: number;
                        };
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-replays-id": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly state: "planned" | "running" | "paused" | "stopped" | "cancelled" | "done";
                        readonly stoppedBecause: string | null;
                        readonly query: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        readonly ratePerSecond: number;
                        readonly canary: boolean;
                        /** @description What it judges by: how many came to an end since it began, and how many of those were parked again. It begins anew where what it stopped is resumed. Absent without one. */
                        readonly canaryProgress?: {
                            readonly settled: number;
                            readonly failed: number;
                        };
                        readonly force: boolean;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        /** @description Null of a dry run that nobody has started. */
                        readonly startedAt: string | null;
                        /** @description In whose name its items are put back. */
                        readonly startedBy: string | null;
                        /** @description What they gave as the reason; `reason` is of who made it. */
                        readonly startReason: string | null;
                        readonly finishedAt: string | null;
                        /** @description At stake, by currency. */
                        readonly money: readonly {
                            /** @description A sum beyond 2^53 is rounded to a float. */
                            readonly minor: number;
                            readonly currency: string;
                            /** @description How many digits of minor stand behind the decimal point: as the events say; of a sum the most of them. */
                            readonly digits: number;
                        }[];
                        readonly items: number;
                        /** @description Whose they are; absent of those that were made before this was counted. */
                        readonly members?: number;
                        /** @description waiting, sent, delivered, parked, cancelled, refused, skipped */
                        readonly byState: {
                            readonly [key: string]: number;
                        };
                        /** @description will-post, was-refused, needs-decision, answered-yes, voided, lane-blocked, nothing-to-send, member-gone */
                        readonly byForecast: {
                            readonly [key: string]: number;
                        };
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-replays-id-items": {
        readonly parameters: {
            readonly query?: {
                readonly state?: "waiting" | "sent" | "delivered" | "parked" | "cancelled" | "refused" | "skipped";
                readonly cursor?: string;
                readonly limit?: number;
                readonly requests?: "true" | "false";
            };
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly items: readonly {
                            readonly intent: string;
                            readonly operation: ("issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update") | null;
                            readonly amount: {
                                /** @description A sum beyond 2^53 is rounded to a float. */
                                readonly minor: number;
                                readonly currency: string;
                                /** @description How many digits of minor stand behind the decimal point: as the events say; of a sum the most of them. */
                                readonly digits: number;
                            } | null;
                            readonly purchaseId: string | null;
                            readonly storeId: string | null;
                            readonly forecast: string;
                            /** @description Later intents of its member that had been settled then. */
                            readonly overtaken: number;
                            readonly state: string;
                            /** @description Why it was refused, or parked again, or stands still though it was sent. */
                            readonly detail: string | null;
                            readonly sentAt: string | null;
                            /** @description Given with `requests=true`; null where nothing is left to send. */
                            readonly request?: {
                                readonly method: string;
                                /** @description Below the base address. */
                                readonly path: string;
                                readonly body: unknown;
                                /** @description Why no request can be made of it: paths and rules. */
                                readonly problems: readonly string[];
                            } | null;
                        }[];
                        readonly nextCursor: string | null;
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-series": {
        readonly parameters: {
            readonly query?: {
                readonly from?: string;
                readonly to?: string;
                readonly program?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @description A minute or more: there are no more than 360 steps. */
                        readonly stepSeconds: number;
                        /** @description The oldest first, without a step left out. */
                        readonly items: readonly {
                            /**
                             * Format: date-time
                             * @description When the step begins.
                             */
                            readonly at: string;
                            /** @description Intents recorded. */
                            readonly received: number | null;
                            readonly delivered: number | null;
                            /** @description Times that one was parked. */
                            readonly parked: number | null;
                            /** @description Attempts that ended without a known outcome. */
                            readonly unknown: number | null;
                            readonly cancelled: number | null;
                            /** @description Records set aside, of whatever program; null where only some programs are asked for. */
                            readonly quarantined: number | null;
                            /** @description Stood so at the end of the step, as the next four. */
                            readonly waiting: number | null;
                            /** @description What is being delivered is pending, too. */
                            readonly pending: number | null;
                            readonly stillUnknown: number | null;
                            readonly stillParked: number | null;
                            /** @description Half of the calls to the partner that ended in the step took no longer. */
                            readonly latencyP50Ms: number | null;
                            /** @description All but one in twenty took no longer. */
                            readonly latencyP95Ms: number | null;
                            /** @description In Kafka and not taken in yet: the most at the end of any minute of the step. */
                            readonly lagRecords: number | null;
                            /** @description How old at most these were: the most at the end of any minute of the step. */
                            readonly lagSeconds: number | null;
                        }[];
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-stats": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /**
                         * Format: date-time
                         * @description When it was read.
                         */
                        readonly at: string;
                        /** @description Those of which there are any. */
                        readonly intents: readonly {
                            readonly program: string;
                            /** @enum {string} */
                            readonly operation: "issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update";
                            /** @enum {string} */
                            readonly status: "waiting" | "pending" | "delivering" | "unknown" | "delivered" | "parked" | "cancelled";
                            readonly intents: number;
                        }[];
                        readonly oldestPending: readonly {
                            readonly program: string;
                            /** Format: date-time */
                            readonly since: string;
                            readonly seconds: number;
                            /** @description So much is pending that only what is due first was looked at. */
                            readonly isPart: boolean;
                        }[];
                        /** @description Empty until it was looked at twice. */
                        readonly rates: readonly {
                            readonly program: string;
                            /** @description Per second, over the last seconds that were looked at. */
                            readonly recordedPerSecond: number;
                            /** @description Delivered or cancelled. */
                            readonly settledPerSecond: number;
                        }[];
                        readonly blockedLanes: readonly {
                            readonly program: string;
                            readonly lanes: number;
                            /** @description Intents that wait. */
                            readonly behind: number;
                        }[];
                        readonly quarantine: readonly {
                            readonly reason: string;
                            readonly records: number;
                        }[];
                        /** @description Money in what is parked or unknown. */
                        readonly valueAtRisk: readonly {
                            readonly program: string;
                            /** @description A sum beyond 2^53 is rounded to a float. */
                            readonly minor: number;
                            readonly currency: string;
                            /** @description How many digits of minor stand behind the decimal point: as the events say; of a sum the most of them. */
                            readonly digits: number;
                            readonly intents: number;
                        }[];
                        readonly pauses: readonly {
                            readonly program: string | null;
                            readonly operation: ("issue" | "issue-via-workflow" | "update-via-workflow" | "transaction" | "reward" | "schedule-update") | null;
                            /** Format: date-time */
                            readonly since: string;
                            readonly by: string;
                            readonly reason: string;
                            /** @description Set by delivery itself, because the partner refused everybody. */
                            readonly automatic: boolean;
                        }[];
                        readonly replays: readonly {
                            readonly id: string;
                            /** @enum {string} */
                            readonly state: "running" | "paused" | "stopped";
                            readonly stoppedBecause: string | null;
                            readonly reason: string;
                            /** Format: date-time */
                            readonly createdAt: string;
                            readonly createdBy: string;
                        }[];
                        readonly processes: readonly {
                            readonly id: string;
                            readonly host: string;
                            readonly roles: readonly string[];
                            /** @description Names the content of its programs file: all should have the same. */
                            readonly programs: string;
                            /** Format: date-time */
                            readonly startedAt: string;
                            /** Format: date-time */
                            readonly seenAt: string;
                            /** @description It gives this answer. */
                            readonly isSelf: boolean;
                        }[];
                        /** @description As all processes see it that are alive; empty where none delivers. */
                        readonly partner: readonly {
                            readonly program: string;
                            /** @description How many tell of it; what follows is of all of them. */
                            readonly processes: number;
                            /** @description Calls that may be under way at once. */
                            readonly limit: number;
                            /** @description Calls that are. */
                            readonly inUse: number;
                            /**
                             * @description The worst of them.
                             * @enum {string}
                             */
                            readonly breaker: "closed" | "trying" | "probing" | "open";
                            /** @description Processes whose breaker is not closed. */
                            readonly resting: number;
                            /** @description Since when a breaker has not been closed; null: all are. */
                            readonly since: string | null;
                            /** @description The partner asked for a rest until then. */
                            readonly cooldownUntil: string | null;
                            /** @description Answered or given up within the last minute, without lookups. */
                            readonly calls: number;
                            /** @description How long these took, told to 10 %; null: there were none. */
                            readonly latencyMs: {
                                readonly p50: number;
                                readonly p95: number;
                            } | null;
                        }[];
                        /** @description Null: nobody takes in, or knows; or the token is limited to programs. */
                        readonly lag: {
                            /** @description In Kafka, and not taken in yet. */
                            readonly records: number;
                            /** @description So old at most; null: nothing is behind, or it is not known. */
                            readonly oldestSeconds: number | null;
                            readonly topics: readonly {
                                readonly topic: string;
                                /** @description In Kafka, and not taken in yet. */
                                readonly records: number;
                                /** @description So old at most; null: nothing is behind, or it is not known. */
                                readonly oldestSeconds: number | null;
                            }[];
                        } | null;
                        /** @description Where `partner` and `lag` come from: what each process tells every 2 s. */
                        readonly figures: {
                            /** @description Of those that are alive, how many tell. */
                            readonly processes: number;
                            /** @description How many do not: they are of the version before. */
                            readonly silent: number;
                            /** @description How old the oldest of what they tell is; null: nobody does. */
                            readonly ageSeconds: number | null;
                        };
                        /** @description The last restore that was told by `start --recovered-from`. */
                        readonly recovery: {
                            /**
                             * Format: date-time
                             * @description The moment to which the database was restored.
                             */
                            readonly recoveredFrom: string;
                            /**
                             * Format: date-time
                             * @description When work began again: what was recorded before may have been sent by the lost history.
                             */
                            readonly startedAt: string;
                            /**
                             * Format: date-time
                             * @description Records with an earlier broker timestamp, too.
                             */
                            readonly producedUntil: string;
                            /** @description Intents whose evidence is still looked for. */
                            readonly open: number;
                            /** @description Intents without evidence: a person must say what became of them. */
                            readonly undecided: number;
                        } | null;
                        /** @description How far what was delivered is counted. */
                        readonly countedUntil: {
                            readonly lagSeconds: number;
                        };
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-stream": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": string;
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-replays-id-pause": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly state: "planned" | "running" | "paused" | "stopped" | "cancelled" | "done";
                        readonly stoppedBecause: string | null;
                        readonly query: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        readonly ratePerSecond: number;
                        readonly canary: boolean;
                        /** @description What it judges by: how many came to an end since it began, and how many of those were parked again. It begins anew where what it stopped is resumed. Absent without one. */
                        readonly canaryProgress?: {
                            readonly settled: number;
                            readonly failed: number;
                        };
                        readonly force: boolean;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        /** @description Null of a dry run that nobody has started. */
                        readonly startedAt: string | null;
                        /** @description In whose name its items are put back. */
                        readonly startedBy: string | null;
                        /** @description What they gave as the reason; `reason` is of who made it. */
                        readonly startReason: string | null;
                        readonly finishedAt: string | null;
                        /** @description At stake, by currency. */
                        readonly money: readonly {
                            /** @description A sum beyond 2^53 is rounded to a float. */
                            readonly minor: number;
                            readonly currency: string;
                            /** @description How many digits of minor stand behind the decimal point: as the events say; of a sum the most of them. */
                            readonly digits: number;
                        }[];
                        readonly items: number;
                        /** @description Whose they are; absent of those that were made before this was counted. */
                        readonly members?: number;
                        /** @description waiting, sent, delivered, parked, cancelled, refused, skipped */
                        readonly byState: {
                            readonly [key: string]: number;
                        };
                        /** @description will-post, was-refused, needs-decision, answered-yes, voided, lane-blocked, nothing-to-send, member-gone */
                        readonly byForecast: {
                            readonly [key: string]: number;
                        };
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-replays-id-resume": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly state: "planned" | "running" | "paused" | "stopped" | "cancelled" | "done";
                        readonly stoppedBecause: string | null;
                        readonly query: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        readonly ratePerSecond: number;
                        readonly canary: boolean;
                        /** @description What it judges by: how many came to an end since it began, and how many of those were parked again. It begins anew where what it stopped is resumed. Absent without one. */
                        readonly canaryProgress?: {
                            readonly settled: number;
                            readonly failed: number;
                        };
                        readonly force: boolean;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        /** @description Null of a dry run that nobody has started. */
                        readonly startedAt: string | null;
                        /** @description In whose name its items are put back. */
                        readonly startedBy: string | null;
                        /** @description What they gave as the reason; `reason` is of who made it. */
                        readonly startReason: string | null;
                        readonly finishedAt: string | null;
                        /** @description At stake, by currency. */
                        readonly money: readonly {
                            /** @description A sum beyond 2^53 is rounded to a float. */
                            readonly minor: number;
                            readonly currency: string;
                            /** @description How many digits of minor stand behind the decimal point: as the events say; of a sum the most of them. */
                            readonly digits: number;
                        }[];
                        readonly items: number;
                        /** @description Whose they are; absent of those that were made before this was counted. */
                        readonly members?: number;
                        /** @description waiting, sent, delivered, parked, cancelled, refused, skipped */
                        readonly byState: {
                            readonly [key: string]: number;
                        };
                        /** @description will-post, was-refused, needs-decision, answered-yes, voided, lane-blocked, nothing-to-send, member-gone */
                        readonly byForecast: {
                            readonly [key: string]: number;
                        };
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "post-replays-id-cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                readonly id: string;
            };
            readonly cookie?: never;
        };
        /** @description At most 64 KiB. */
        readonly requestBody?: {
            readonly content: {
                readonly "application/json": {
                    /**
                     * @description Kept for ever and shown to colleagues: nothing personal.
                     * @default no reason given
                     */
                    readonly reason?: string;
                };
            };
        };
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly id: string;
                        /** @enum {string} */
                        readonly state: "planned" | "running" | "paused" | "stopped" | "cancelled" | "done";
                        readonly stoppedBecause: string | null;
                        readonly query: {
                            readonly [key: string]: unknown;
                        };
                        readonly reason: string;
                        readonly ratePerSecond: number;
                        readonly canary: boolean;
                        /** @description What it judges by: how many came to an end since it began, and how many of those were parked again. It begins anew where what it stopped is resumed. Absent without one. */
                        readonly canaryProgress?: {
                            readonly settled: number;
                            readonly failed: number;
                        };
                        readonly force: boolean;
                        /** Format: date-time */
                        readonly createdAt: string;
                        readonly createdBy: string;
                        /** @description Null of a dry run that nobody has started. */
                        readonly startedAt: string | null;
                        /** @description In whose name its items are put back. */
                        readonly startedBy: string | null;
                        /** @description What they gave as the reason; `reason` is of who made it. */
                        readonly startReason: string | null;
                        readonly finishedAt: string | null;
                        /** @description At stake, by currency. */
                        readonly money: readonly {
                            /** @description A sum beyond 2^53 is rounded to a float. */
                            readonly minor: number;
                            readonly currency: string;
                            /** @description How many digits of minor stand behind the decimal point: as the events say; of a sum the most of them. */
                            readonly digits: number;
                        }[];
                        readonly items: number;
                        /** @description Whose they are; absent of those that were made before this was counted. */
                        readonly members?: number;
                        /** @description waiting, sent, delivered, parked, cancelled, refused, skipped */
                        readonly byState: {
                            readonly [key: string]: number;
                        };
                        /** @description will-post, was-refused, needs-decision, answered-yes, voided, lane-blocked, nothing-to-send, member-gone */
                        readonly byForecast: {
                            readonly [key: string]: number;
                        };
                    };
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-api-openapi.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": unknown;
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-health-live": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": unknown;
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-health-ready": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": unknown;
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-health-startup": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": unknown;
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
    readonly "get-metrics": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Done. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                };
            };
            readonly default: components["responses"]["Problem"];
        };
    };
}
