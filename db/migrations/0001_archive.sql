CREATE TABLE `t_retry_attempt_archive` (
	`id` bigint NOT NULL,
	`archived_time` datetime(3) NOT NULL,
	`task_id` bigint NOT NULL,
	`event_type` varchar(64) NOT NULL,
	`kind` varchar(16) NOT NULL,
	`retry_count` int NOT NULL,
	`claim_no` int NOT NULL,
	`owner` varchar(64),
	`actor` varchar(64),
	`detail` varchar(512),
	`error` text,
	`error_fingerprint` varchar(16),
	`duration_ms` bigint,
	`next_retry_time` datetime(3),
	`create_time` datetime(3) NOT NULL,
	PRIMARY KEY(`id`,`archived_time`),
	KEY `idx_task` (`task_id`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={{collation}}
PARTITION BY RANGE COLUMNS(`archived_time`) (
	PARTITION `p_default` VALUES LESS THAN (MAXVALUE)
);
--> statement-breakpoint
CREATE TABLE `t_retry_task_archive` (
	`id` bigint NOT NULL,
	`archived_time` datetime(3) NOT NULL,
	`event_type` varchar(64) NOT NULL,
	`biz_key` varchar(128) NOT NULL,
	`biz_context` mediumtext NOT NULL,
	`status` tinyint NOT NULL,
	`retry_count` int NOT NULL,
	`max_retry_count` int NOT NULL,
	`retry_strategy` varchar(32) NOT NULL,
	`first_retry_interval` int NOT NULL,
	`next_retry_time` datetime(3) NOT NULL,
	`ip` varchar(40),
	`create_time` datetime(3) NOT NULL,
	`update_time` datetime(3) NOT NULL,
	`owner` varchar(64),
	`claim_no` int NOT NULL,
	`recycle_count` int NOT NULL,
	`last_error` text,
	`error_fingerprint` varchar(16),
	`finish_reason` varchar(16),
	`started_time` datetime(3),
	`finished_time` datetime(3),
	`trace_parent` varchar(64),
	`parent_id` bigint,
	`origin` varchar(64),
	PRIMARY KEY(`id`,`archived_time`),
	KEY `idx_biz` (`biz_key`,`event_type`,`id`),
	KEY `idx_type_time` (`event_type`,`archived_time`,`id`),
	KEY `idx_cause` (`error_fingerprint`,`archived_time`,`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={{collation}}
PARTITION BY RANGE COLUMNS(`archived_time`) (
	PARTITION `p_default` VALUES LESS THAN (MAXVALUE)
);
