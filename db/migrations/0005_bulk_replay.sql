CREATE TABLE `t_retry_bulk_replay` (
	`bulk_id` bigint NOT NULL,
	`archived_id` bigint NOT NULL,
	`archived_time` datetime(3) NOT NULL,
	`result` varchar(16) NOT NULL,
	`detail` varchar(255),
	`live_id` bigint,
	`create_time` datetime(3) NOT NULL,
	PRIMARY KEY(`bulk_id`,`archived_id`,`archived_time`),
	KEY `idx_result` (`bulk_id`,`result`,`archived_id`,`archived_time`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE={{collation}};
