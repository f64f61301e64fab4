"""moto's server, with what its CloudFormation lacks of our stack: `server.py -H HOST -p PORT`.

That is most of it: whole types, and of tables and functions half of the properties. Each is made by a call of the AWS
API, to this same server. boto3 checks what it sends by AWS's own description of the API, so a property that AWS does not
have, or of another type, fails the deployment.
"""

import json
import sys

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError
from moto.cloudformation.parsing import ResourceMap
from moto.core.common_models import CloudFormationModel
from moto.server import main

PORT = sys.argv[sys.argv.index("-p") + 1]


def client(service, region="us-east-1"):
    own = {"aws_access_key_id": "e2e", "aws_secret_access_key": "e2e"}
    config = Config(retries={"total_max_attempts": 1})
    return boto3.client(service, region, endpoint_url=f"http://localhost:{PORT}", config=config, **own)


def camel(value):
    """The names of CodeDeploy and CloudWatch Logs begin with a small letter in the API."""
    if isinstance(value, list):
        return [camel(item) for item in value]
    if isinstance(value, dict):
        return {key[0].lower() + key[1:]: camel(item) for key, item in value.items()}
    return value


def split(properties, *names):
    """The properties with these names, and those without."""
    return [properties.get(name) for name in names], {k: v for k, v in properties.items() if k not in names}


def tag_map(tags):
    return {tag["Key"]: tag["Value"] for tag in tags or []}


# Each function takes a name and the properties, and gives: what Ref gives, what GetAtt gives, and how to delete it.


def table(name, properties):
    api = client("dynamodb")
    names = ("PointInTimeRecoverySpecification", "TimeToLiveSpecification")
    (recovery, time_to_live), properties = split(properties, *names)
    arn = api.create_table(TableName=name, **properties)["TableDescription"]["TableArn"]
    if time_to_live is not None:
        api.update_time_to_live(TableName=name, TimeToLiveSpecification=time_to_live)
    if recovery is not None:
        api.update_continuous_backups(TableName=name, PointInTimeRecoverySpecification=recovery)
    return name, {"Arn": arn}, lambda: api.delete_table(TableName=name)


def function(name, properties):
    api = client("lambda")
    # moto does not know PutFunctionRecursionConfig, which would be the call for RecursiveLoop.
    names = ("Tags", "ReservedConcurrentExecutions", "RecursiveLoop")
    (tags, reserved, _), properties = split(properties, *names)
    made = api.create_function(FunctionName=name, Tags=tag_map(tags), **properties)
    if reserved is not None:
        api.put_function_concurrency(FunctionName=name, ReservedConcurrentExecutions=reserved)
    return name, {"Arn": made["FunctionArn"]}, lambda: api.delete_function(FunctionName=name)


def version(_, properties):
    api = client("lambda")
    made = api.publish_version(**properties)
    arn, number = f"{made['FunctionArn'].removesuffix(':' + made['Version'])}:{made['Version']}", made["Version"]
    # moto deletes the whole function instead.
    return arn, {"Version": number}, lambda: None


def alias(_, properties):
    api = client("lambda")
    made = api.create_alias(**properties)
    own = {"FunctionName": properties["FunctionName"], "Name": properties["Name"]}
    return made["AliasArn"], {}, lambda: api.delete_alias(**own)


def url(_, properties):
    api = client("lambda")
    (arn,), properties = split(properties, "TargetFunctionArn")
    # moto ignores the qualifier, and has one URL for each function.
    own = {"FunctionName": arn, "Qualifier": properties.pop("Qualifier")}
    made = api.create_function_url_config(**own, **properties)
    return arn, {"FunctionUrl": made["FunctionUrl"]}, lambda: api.delete_function_url_config(**own)


def event_invoke_config(_, properties):
    api = client("lambda")
    api.put_function_event_invoke_config(**properties)
    own = {"FunctionName": properties["FunctionName"]}
    return properties["FunctionName"], {}, lambda: api.delete_function_event_invoke_config(**own)


def alarm(_, properties):
    api = client("cloudwatch")
    api.put_metric_alarm(**properties)
    names = [properties["AlarmName"]]
    arn = api.describe_alarms(AlarmNames=names)["MetricAlarms"][0]["AlarmArn"]
    return names[0], {"Arn": arn}, lambda: api.delete_alarms(AlarmNames=names)


def metric_filter(name, properties):
    api = client("logs")
    properties = camel(properties)
    for transformation in properties["metricTransformations"]:
        dimensions = transformation.get("dimensions", [])
        transformation["dimensions"] = {item["key"]: item["value"] for item in dimensions}
    api.put_metric_filter(filterName=name, **properties)
    own = {"filterName": name, "logGroupName": properties["logGroupName"]}
    return name, {}, lambda: api.delete_metric_filter(**own)


def application(name, properties):
    api = client("codedeploy")
    (tags,), properties = split(properties, "Tags")
    api.create_application(applicationName=name, tags=tags or [], **camel(properties))
    # Not in moto, nor for deployment groups: they stay.
    return name, {}, lambda: None


def deployment_group(name, properties):
    api = client("codedeploy")
    (tags,), properties = split(properties, "Tags")
    properties = camel(properties)
    api.create_deployment_group(deploymentGroupName=name, tags=tags or [], **properties)
    return name, {}, lambda: None


def secret(name, properties):
    api = client("secretsmanager")
    (rule,), properties = split(properties, "GenerateSecretString")
    text = api.get_random_password(**rule)["RandomPassword"]
    arn = api.create_secret(Name=name, SecretString=text, **properties)["ARN"]
    return arn, {}, lambda: api.delete_secret(SecretId=arn, ForceDeleteWithoutRecovery=True)


def topic_policy(name, properties):
    api = client("sns")
    policy = json.dumps(properties["PolicyDocument"])
    for topic in properties["Topics"]:
        api.set_topic_attributes(TopicArn=topic, AttributeName="Policy", AttributeValue=policy)
    return name, {}, lambda: None


def layer(name, properties):
    api = client("lambda")
    made = api.publish_layer_version(LayerName=name, **properties)
    own = {"LayerName": name, "VersionNumber": made["Version"]}
    return made["LayerVersionArn"], {}, lambda: api.delete_layer_version(**own)


def event_source(_, properties):
    api = client("lambda")
    (tags,), properties = split(properties, "Tags")
    made = api.create_event_source_mapping(Tags=tag_map(tags), **properties)
    return made["UUID"], {}, lambda: api.delete_event_source_mapping(UUID=made["UUID"])


def queue(_, properties):
    api = client("sqs")
    (name, tags), properties = split(properties, "QueueName", "Tags")
    # In the API every attribute is a text.
    attributes = {
        key: value if isinstance(value, str) else json.dumps(value)
        for key, value in properties.items()
    }
    url = api.create_queue(QueueName=name, Attributes=attributes, tags=tag_map(tags))["QueueUrl"]
    arn = api.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    return url, {"Arn": arn, "QueueName": name}, lambda: api.delete_queue(QueueUrl=url)


def queue_policy(name, properties):
    api = client("sqs")
    policy = {"Policy": json.dumps(properties["PolicyDocument"])}
    for url in properties["Queues"]:
        api.set_queue_attributes(QueueUrl=url, Attributes=policy)
    return name, {}, lambda: None


def bucket(name, properties):
    api = client("s3")
    name = properties.get("BucketName", name.lower())
    api.create_bucket(Bucket=name)
    if "VersioningConfiguration" in properties:
        api.put_bucket_versioning(Bucket=name, VersioningConfiguration=properties["VersioningConfiguration"])
    if "PublicAccessBlockConfiguration" in properties:
        block = properties["PublicAccessBlockConfiguration"]
        api.put_public_access_block(Bucket=name, PublicAccessBlockConfiguration=block)
    if "OwnershipControls" in properties:
        api.put_bucket_ownership_controls(Bucket=name, OwnershipControls=properties["OwnershipControls"])
    for rule in properties.get("BucketEncryption", {}).get("ServerSideEncryptionConfiguration", []):
        rules = {"Rules": [{"ApplyServerSideEncryptionByDefault": rule["ServerSideEncryptionByDefault"]}]}
        api.put_bucket_encryption(Bucket=name, ServerSideEncryptionConfiguration=rules)
    if "LifecycleConfiguration" in properties:
        rules = [lifecycle_rule(rule) for rule in properties["LifecycleConfiguration"]["Rules"]]
        api.put_bucket_lifecycle_configuration(Bucket=name, LifecycleConfiguration={"Rules": rules})
    if "Tags" in properties:
        api.put_bucket_tagging(Bucket=name, Tagging={"TagSet": properties["Tags"]})
    return name, {"Arn": f"arn:aws:s3:::{name}"}, lambda: api.delete_bucket(Bucket=name)


def lifecycle_rule(rule):
    """The API has two of the names otherwise, and wants a filter."""
    (rule_id, marker, noncurrent), rule = split(
        rule, "Id", "ExpiredObjectDeleteMarker", "NoncurrentVersionExpiration"
    )
    rule = {"ID": rule_id or "rule", "Filter": {}, **rule}
    if marker is not None:
        rule["Expiration"] = {"ExpiredObjectDeleteMarker": marker}
    if noncurrent is not None:
        rule["NoncurrentVersionExpiration"] = noncurrent
    return rule


def bucket_policy(name, properties):
    # moto overlooks the condition of a denial: assets could not be put into the bucket of `cdk bootstrap` any more.
    if not properties["Bucket"].startswith("cdk-"):
        client("s3").put_bucket_policy(Bucket=properties["Bucket"], Policy=json.dumps(properties["PolicyDocument"]))
    return name, {}, lambda: None


def managed_policy(_, properties):
    api = client("iam")
    (name, document), properties = split(properties, "ManagedPolicyName", "PolicyDocument")
    known = {key: properties[key] for key in ("Description", "Path") if key in properties}
    arn = api.create_policy(PolicyName=name, PolicyDocument=json.dumps(document), **known)["Policy"]["Arn"]
    return arn, {}, lambda: api.delete_policy(PolicyArn=arn)


def schedule_group(_, properties):
    api = client("scheduler")
    made = api.create_schedule_group(**properties)
    return properties["Name"], {"Arn": made["ScheduleGroupArn"]}, lambda: delete_schedules(properties["Name"])


def delete_schedules(group):
    """Of moto's groups, only those without schedules can be deleted; AWS deletes both."""
    api = client("scheduler")
    for schedule in api.list_schedules(GroupName=group)["Schedules"]:
        api.delete_schedule(GroupName=group, Name=schedule["Name"])
    api.delete_schedule_group(Name=group)


def schedule(name, properties):
    api = client("scheduler")
    name = properties.pop("Name", name)[:64]
    made = api.create_schedule(Name=name, **properties)
    # It goes with its group, in whatever order moto deletes the two.
    return name, {"Arn": made["ScheduleArn"]}, lambda: None


RESOURCES = {
    "AWS::DynamoDB::Table": table,
    "AWS::Lambda::Function": function,
    "AWS::Lambda::Version": version,
    "AWS::Lambda::Alias": alias,
    "AWS::Lambda::Url": url,
    "AWS::Lambda::EventInvokeConfig": event_invoke_config,
    "AWS::CloudWatch::Alarm": alarm,
    "AWS::Logs::MetricFilter": metric_filter,
    "AWS::CodeDeploy::Application": application,
    "AWS::CodeDeploy::DeploymentGroup": deployment_group,
    "AWS::SecretsManager::Secret": secret,
    "AWS::SNS::TopicPolicy": topic_policy,
    "AWS::Lambda::LayerVersion": layer,
    "AWS::Lambda::EventSourceMapping": event_source,
    "AWS::SQS::Queue": queue,
    "AWS::SQS::QueuePolicy": queue_policy,
    "AWS::S3::Bucket": bucket,
    "AWS::S3::BucketPolicy": bucket_policy,
    "AWS::IAM::ManagedPolicy": managed_policy,
    "AWS::Scheduler::ScheduleGroup": schedule_group,
    "AWS::Scheduler::Schedule": schedule,
}


def register(resource_type, make):
    class Resource(CloudFormationModel):
        # moto files a model under the second part of its module's name.
        __module__ = "moto.cloudformation"

        def __init__(self, made):
            self.physical_resource_id, self.attributes, self.remove = made

        @staticmethod
        def cloudformation_type():
            return resource_type

        @classmethod
        def create_from_cloudformation_json(cls, resource_name, cloudformation_json, account_id, region_name, **_):
            return cls(make(resource_name, cloudformation_json["Properties"]))

        @classmethod
        def has_cfn_attr(cls, attr):
            return True

        def get_cfn_attribute(self, attribute_name):
            return self.attributes[attribute_name]

        def delete(self, account_id, region_name):
            try:
                self.remove()
            except ClientError as error:
                # moto deletes in any order, so this went with its function or its log group.
                if error.response["Error"]["Code"] != "ResourceNotFoundException":
                    raise

    return Resource


# moto knows the subclasses that are there, and a later one of the same type wins.
MODELS = [register(resource_type, make) for resource_type, make in RESOURCES.items()]

delete_stack = ResourceMap.delete


def delete(self):
    """moto keeps what says Retain, and deletes what says RetainExceptOnCreate, which is not about deleting a stack."""
    for resource in self._resource_json_map.values():
        if resource.get("DeletionPolicy") == "RetainExceptOnCreate":
            resource["DeletionPolicy"] = "Retain"
    delete_stack(self)


ResourceMap.delete = delete

main()
